import { expect, test } from "vitest";
import { createCatalog } from "../../src/model/catalog.ts";
import { effectiveThinking, settingRemarks } from "../../src/model/index.ts";
import type { ThinkingSetting } from "../../src/protocol/model.ts";

const catalog = createCatalog();
const auto: ThinkingSetting = { type: "auto" };
const off: ThinkingSetting = { type: "disabled" };
const budget: ThinkingSetting = { type: "enabled", budgetTokens: 9_000 };

test.each<[string, Parameters<typeof settingRemarks>[1], string[]]>([
  ["claude-sonnet-5-5", { thinking: auto }, []],
  ["claude-opus-5-5", { thinking: auto, effort: "max", taskBudget: { total: 50_000 }, speed: "fast" }, []],
  [
    "claude-sonnet-5-5",
    { thinking: off, effort: "xhigh" },
    [
      "claude-sonnet-5-5 always thinks: its thinking cannot be turned off. A lower effort makes it think less.",
      "claude-sonnet-5-5 has no effort xhigh: high is used instead. It has low, medium, high.",
    ],
  ],
  [
    "claude-opus-5",
    { thinking: off, effort: "max" },
    ["claude-opus-5 always thinks at effort max: its thinking can only be turned off up to effort high."],
  ],
  ["claude-opus-5", { thinking: off }, []],
  [
    "claude-opus-4-7",
    { thinking: budget, speed: "fast" },
    [
      "claude-opus-4-7 decides for itself how much it thinks: the budget of 9000 tokens is not sent. The effort says how thorough it is.",
      "claude-opus-4-7 has no fast mode: it answers at its usual speed and price.",
    ],
  ],
  ["claude-opus-4-6", { thinking: budget }, []],
  [
    "claude-haiku-4-5",
    { thinking: { type: "adaptive" }, effort: "low", taskBudget: { total: 50_000 } },
    [
      "claude-haiku-4-5 only thinks within a token budget: without one (maxThinkingTokens) it does not think.",
      "claude-haiku-4-5 has no effort setting: low is not sent.",
      "claude-haiku-4-5 does not support task budgets: the request is sent without one.",
    ],
  ],
  [
    "local-model",
    { thinking: off, effort: "max", taskBudget: { total: 50_000 } },
    ["local-model does not support task budgets: the request is sent without one."],
  ],
])("%s: a remark for each setting that the model does not support", (model, wishes, remarks) => {
  expect(settingRemarks(catalog.info(model), wishes)).toEqual(remarks);
});

test("disabled thinking becomes adaptive where the model cannot turn it off", () => {
  const taken = (model: string, effort?: "high" | "max") => effectiveThinking(catalog.info(model), off, effort).type;
  expect(taken("claude-fable-5-2")).toBe("adaptive");
  expect(taken("claude-opus-5", "max")).toBe("adaptive");
  expect(taken("claude-opus-5", "high")).toBe("disabled");
  expect(taken("claude-haiku-4-5")).toBe("disabled");
  expect(effectiveThinking(catalog.info("claude-fable-5-2"), budget, undefined)).toBe(budget);
});

test("a fast answer costs the fast prices; a model with the user's own prices has none", () => {
  const usage = { inputTokens: 1e6, outputTokens: 1e6, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
  expect(catalog.costOf("claude-opus-5-5", usage).usd).toBe(24);
  expect(catalog.costOf("claude-opus-5-5", { ...usage, serviceTier: "fast" }).usd).toBe(48);
  expect(catalog.costOf("claude-sonnet-5-5", { ...usage, serviceTier: "fast" }).usd).toBe(12);
  const own = createCatalog({ models: { "claude-opus-5-5": { prices: { input: 1, output: 1 } } } });
  expect(own.info("claude-opus-5-5").fastPrices).toBeUndefined();
});
