// What is asked for of thinking, effort and task budgets, by model: nothing the model answers with a 400.
import { describe, expect, test } from "vitest";
import { createCatalog } from "../../../src/model/catalog.ts";
import { effortParameter, thinkingParameter } from "../../../src/model/anthropic/thinking.ts";
import { createAnthropicModel } from "../../../src/model/index.ts";
import type { Effort, ThinkingSetting } from "../../../src/protocol/model.ts";
import { answering, hear, modelRequest, said, textOf } from "../support/wire.ts";

const catalog = createCatalog();
const thinking = (model: string, setting: ThinkingSetting, maxTokens = 8000, effort?: Effort): unknown =>
  thinkingParameter(catalog.info(model), setting, maxTokens, effort);

const auto: ThinkingSetting = { type: "auto" };
const adaptive: ThinkingSetting = { type: "adaptive" };
const off: ThinkingSetting = { type: "disabled" };
const budget: ThinkingSetting = { type: "enabled", budgetTokens: 4000 };
const shown = { type: "adaptive", display: "summarized" };
const enabled = { type: "enabled", budget_tokens: 4000 };

/** The documented table: what each family is sent for auto, adaptive, a budget, and off. */
const table: [string, unknown, unknown, unknown, unknown][] = [
  ["claude-fable-5-2", shown, shown, shown, undefined],
  ["claude-mythos-5-2", shown, shown, shown, undefined],
  ["claude-fable-5-1", shown, shown, shown, undefined],
  ["claude-fable-5", shown, shown, shown, undefined],
  ["claude-opus-5-5", shown, shown, shown, undefined],
  ["claude-sonnet-5-5", shown, shown, shown, undefined],
  ["claude-haiku-5-5", shown, shown, shown, off],
  ["claude-opus-5", shown, shown, shown, off],
  ["claude-opus-4-8", shown, shown, shown, off],
  ["claude-opus-4-7", shown, shown, shown, off],
  ["claude-sonnet-5", shown, shown, shown, off],
  ["claude-opus-4-6", shown, shown, enabled, off],
  ["claude-sonnet-4-6", shown, shown, enabled, off],
  ["claude-opus-4-5", undefined, undefined, enabled, undefined],
  ["claude-sonnet-4-5", undefined, undefined, enabled, undefined],
  ["claude-haiku-4-5", undefined, undefined, enabled, undefined],
  ["some-other-model", undefined, adaptive, enabled, off],
];

describe.each(table)("the thinking parameter for %s", (model, ...wanted) => {
  test.each([auto, adaptive, budget, off].map((setting, index) => [setting.type, setting, wanted[index]] as const))(
    "with setting %s is as documented",
    (_, setting, parameter) => {
      expect(thinking(model, setting)).toEqual(parameter);
    },
  );
});

test("Opus 5 is not sent disabled thinking at an effort that does not allow it", () => {
  expect(thinking("claude-opus-5", off, 8000, "high")).toEqual(off);
  expect(thinking("claude-opus-5", off, 8000, "xhigh")).toBeUndefined();
  expect(thinking("claude-opus-5", off, 8000, "max")).toBeUndefined();
});

test.each([
  [500, 8000, 1024],
  [9000, 8000, 6976],
  [9000, 2000, 1500],
  [4000.7, 8000, 4000],
])("a thinking budget of %d with %d output tokens is sent as %d", (wanted, maxTokens, sent) => {
  expect(thinking("claude-haiku-4-5", { type: "enabled", budgetTokens: wanted }, maxTokens)).toEqual({
    type: "enabled",
    budget_tokens: sent,
  });
});

test("no thinking is requested if the output limit leaves no room for it", () => {
  expect(thinking("claude-haiku-4-5", budget, 1024)).toBeUndefined();
  expect(thinking("claude-haiku-4-5", budget, 1300)).toBeUndefined();
});

test.each<[string, Effort, Effort | undefined]>([
  ["claude-opus-5-5", "max", "max"],
  ["claude-sonnet-5-5", "high", "high"],
  ["claude-sonnet-5-5", "max", "high"],
  ["claude-opus-4-6", "xhigh", "high"],
  ["claude-opus-4-6", "max", "max"],
  ["claude-opus-4-5", "max", "high"],
  ["claude-haiku-4-5", "low", undefined],
  ["some-other-model", "high", undefined],
])("%s asked for %s is sent %s", (model, asked, sent) => {
  expect(effortParameter(catalog.info(model), asked)).toBe(sent);
});

test("an effort below all efforts of a model becomes its lowest", () => {
  const custom = createCatalog({ models: { m: { efforts: ["high", "max"] } } });
  expect(effortParameter(custom.info("m"), "low")).toBe("high");
});

test.each([
  ["claude-opus-5-5", true],
  ["claude-opus-5", true],
  ["claude-opus-4-8", true],
  ["claude-opus-4-7", false],
  ["claude-opus-4-6", false],
  ["some-other-model", false],
])("whether %s is sent fast mode when asked: %s", async (model, isFast) => {
  const transport = answering(said("x"));
  await hear(createAnthropicModel({ transport, version: "1.0.0" }), modelRequest({ model, speed: "fast" }));
  const [request] = transport.requests;
  expect(textOf(request?.body).includes('"speed":"fast"')).toBe(isFast);
  expect(request?.headers["anthropic-beta"]).toBe(isFast ? "fast-mode-2026-02-01" : undefined);
});

test.each([
  ["claude-opus-5-5", 50_000, true],
  ["claude-sonnet-5-5", 50_000, true],
  ["claude-opus-5-5", 19_999, false],
  ["claude-sonnet-5", 50_000, false],
  ["some-other-model", 50_000, false],
])("whether %s is sent a task budget of %d: %s", async (model, total, sent) => {
  const transport = answering(said("x"));
  await hear(
    createAnthropicModel({ transport, version: "1.0.0" }),
    modelRequest({ model, taskBudget: { total, remaining: 7 } }),
  );
  const [request] = transport.requests;
  expect(textOf(request?.body).includes('"task_budget":{"type":"tokens","total":50000,"remaining":7}')).toBe(sent);
  expect(request?.headers["anthropic-beta"]).toBe(sent ? "task-budgets-2026-03-13" : undefined);
});
