// What a user asks of models: checked, sent where the model takes it, told where it does not, and never a 400.
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { createCatalog } from "../../src/model/catalog.ts";
import type { Effort } from "../../src/protocol/model.ts";
import type { Reply } from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openSession, turn, type Opened } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const glob: Reply = { content: [{ thinking: "Look." }, { tool: "Glob", input: { pattern: "*" } }] };
const bodies = ({ model }: Opened) => calls(model).map(({ body }) => body as unknown as Record<string, unknown>);
const betas = ({ model }: Opened) => calls(model).map(({ headers }) => headers["anthropic-beta"] ?? "");

describe("an invalid option is refused with a sentence", () => {
  test.each<[EngineOptions, string]>([
    [{ effort: "ultra" as Effort }, "There is no effort ultra: there are low, medium, high, xhigh, max."],
    [
      { thinking: { type: "deep" as "auto" } },
      "There is no thinking type deep: there are auto, adaptive, enabled, disabled.",
    ],
    [
      { thinking: { type: "enabled", budgetTokens: 1000 } },
      "thinking.budgetTokens must be a whole number of at least 1024 tokens.",
    ],
    [{ maxThinkingTokens: -1 }, "maxThinkingTokens must be a whole number; 0 turns thinking off."],
    [{ maxOutputTokens: 0 }, "maxOutputTokens must be a whole number of at least 1."],
    [{ tokenBudget: 0.5 }, "tokenBudget must be a whole number of at least 1 output token."],
    [{ taskBudget: { total: 19_999 } }, "taskBudget.total must be a whole number of at least 20000 tokens."],
    [{ taskBudget: {} as { total: number } }, "taskBudget.total must be a whole number of at least 20000 tokens."],
    [{ speed: "warp" as "fast" }, "There is no speed warp: there are standard and fast."],
  ])("%j", async (options, message) => {
    await expect(openSession({}, options)).rejects.toMatchObject({ name: "UsageError", message });
  });
});

test.each<[wished: Effort | undefined, most: Effort, sent: unknown]>([
  ["max", "medium", "medium"],
  ["low", "medium", "low"],
  [undefined, "low", "low"],
  [undefined, "max", undefined],
])("an effort of %s with maxEffortLevel %s is requested as %s, with a notice", async (wished, most, sent) => {
  const notices: string[] = [];
  const settings = JSON.stringify({ maxEffortLevel: most });
  const opened = await openSession(
    { fallback: "." },
    { effort: wished, settings, onNotice: (text) => notices.push(text) },
  );
  await turn(opened.engine, "Go.");
  opened.engine.setEffort(wished);
  await turn(opened.engine, "Again.");
  const efforts = bodies(opened).map((body) => (body["output_config"] as { effort?: unknown } | undefined)?.effort);
  expect(efforts).toEqual([sent, sent]);
  const isHeld = wished !== undefined && wished !== sent;
  expect(notices).toEqual(isHeld ? [`The effort is ${String(sent)}: maxEffortLevel allows no more.`] : []);
});

const effort = fc.constantFrom<(Effort | undefined)[]>(undefined, "low", "medium", "high", "xhigh", "max");
const thinking = fc.constantFrom<EngineOptions["thinking"][]>(
  undefined,
  { type: "auto" },
  { type: "adaptive" },
  { type: "disabled" },
  { type: "enabled" },
  { type: "enabled", budgetTokens: 1_024 },
  { type: "enabled", budgetTokens: 100_000 },
);

test("property: no requested setting makes a model answer 400, and the caller's output limit is kept", async () => {
  const wishes = fc.record({
    model: fc.constantFrom(...createCatalog().ids()),
    thinking,
    effort,
    maxOutputTokens: fc.constantFrom(undefined, 1, 1_100, 5_000, 500_000),
    taskBudget: fc.constantFrom(undefined, { total: 20_000 }),
    speed: fc.constantFrom(undefined, "fast" as const, "standard" as const),
  });
  const ground = layGround();
  await fc.assert(
    fc.asyncProperty(wishes, async (options) => {
      const opened = await openSession({ steps: [glob, glob, "Done."], fallback: "Done." }, options, ground);
      await turn(opened.engine, "Go.");
      expect(opened.model.violations).toEqual([]);
      const most = createCatalog().info(options.model).maxOutputTokens;
      for (const body of bodies(opened)) {
        expect(body["max_tokens"]).toBeLessThanOrEqual(Math.min(options.maxOutputTokens ?? most, most));
        const { budget_tokens: budget = 0 } = (body["thinking"] ?? {}) as { budget_tokens?: number };
        expect(budget).toBeLessThan(body["max_tokens"] as number);
      }
    }),
    { numRuns: 150 },
  );
});

test("a setting that the model does not support is reported once, and again for another such model", async () => {
  const told: string[] = [];
  const options: EngineOptions = { effort: "max", thinking: { type: "disabled" }, onNotice: (text) => told.push(text) };
  const { engine } = await openSession({ fallback: "." }, options);
  expect(told).toEqual([]);
  await turn(engine, "One.");
  await turn(engine, "Two.");
  expect(told).toEqual([
    "claude-sonnet-5-5 always thinks: its thinking cannot be turned off. A lower effort makes it think less.",
    "claude-sonnet-5-5 has no effort max: high is used instead. It has low, medium, high.",
  ]);
  engine.setModel("claude-opus-5");
  await turn(engine, "Three.");
  expect(told.slice(2)).toEqual([
    "claude-opus-5 always thinks at effort max: its thinking can only be turned off up to effort high.",
  ]);
  engine.setModel("claude-haiku-5-5");
  await turn(engine, "Four.");
  expect(told).toHaveLength(3);
});

describe("the environment", () => {
  const sent = async (env: EngineOptions["env"], extra: EngineOptions = {}) => {
    const told: string[] = [];
    const opened = await openSession({ fallback: "." }, { env, onNotice: (text) => told.push(text), ...extra });
    await turn(opened.engine, "Hi.");
    return { body: bodies(opened)[0]!, told };
  };

  test("sets effort, thinking and the output limit; options take precedence", async () => {
    const env = { CLAUDE_CODE_EFFORT_LEVEL: "low", CLAUDE_CODE_MAX_OUTPUT_TOKENS: "5000", MAX_THINKING_TOKENS: "2000" };
    expect((await sent(env, { model: "claude-opus-4-6" })).body).toMatchObject({
      max_tokens: 5_000,
      thinking: { type: "enabled", budget_tokens: 2_000 },
      output_config: { effort: "low" },
    });
    const own: EngineOptions = {
      model: "claude-opus-4-6",
      effort: "max",
      maxOutputTokens: 6_000,
      maxThinkingTokens: 0,
    };
    expect((await sent(env, own)).body).toMatchObject({
      max_tokens: 6_000,
      thinking: { type: "disabled" },
      output_config: { effort: "max" },
    });
  });

  test("turns thinking off", async () => {
    const { body } = await sent(
      { CLAUDE_CODE_DISABLE_THINKING: "1", MAX_THINKING_TOKENS: "2000" },
      { model: "claude-opus-4-6" },
    );
    expect(body["thinking"]).toEqual({ type: "disabled" });
  });

  test("gives models a thinking budget where they support it, and changes nothing for the others", async () => {
    const env = { CLAUDE_CODE_DISABLE_ADAPTIVE_THINKING: "1" };
    expect((await sent(env, { model: "claude-opus-4-6" })).body).toMatchObject({
      max_tokens: 39_999,
      thinking: { type: "enabled", budget_tokens: 31_999 },
    });
    expect((await sent(env)).body["thinking"]).toMatchObject({ type: "adaptive" });
  });

  test("is ignored, with a notice, where its values are invalid", async () => {
    const { body, told } = await sent({
      CLAUDE_CODE_EFFORT_LEVEL: "huge",
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: "many",
      MAX_THINKING_TOKENS: "-1",
    });
    expect(body).toMatchObject({ max_tokens: 8_000, thinking: { type: "adaptive" } });
    expect(told).toEqual([
      "MAX_THINKING_TOKENS is ignored: it is not a whole number of at least 0.",
      "CLAUDE_CODE_EFFORT_LEVEL is ignored: it is none of low, medium, high, xhigh, max, auto.",
      "CLAUDE_CODE_MAX_OUTPUT_TOKENS is ignored: it is not a whole number of at least 1.",
    ]);
  });
});

test("an answer has its own tokens in addition to the thinking budget", async () => {
  const opened = await openSession({ fallback: "." }, { model: "claude-sonnet-4-5", maxThinkingTokens: 10_000 });
  await turn(opened.engine, "Hi.");
  expect(bodies(opened)[0]).toMatchObject({ max_tokens: 18_000, thinking: { type: "enabled", budget_tokens: 10_000 } });
});

test("an answer that was cut is requested again with the model's full output limit", async () => {
  const long = "word ".repeat(12_000);
  const opened = await openSession({ steps: [long, long] });
  const { result } = await turn(opened.engine, "Write.");
  expect(result).toMatchObject({ subtype: "success", result: long });
  expect(bodies(opened).map((body) => body["max_tokens"])).toEqual([8_000, 128_000]);
});

test("a task budget is sent with its beta to models that support it, and reported as unsupported for others", async () => {
  const told: string[] = [];
  const options: EngineOptions = { taskBudget: { total: 60_000 }, onNotice: (text) => told.push(text) };
  const opened = await openSession({ fallback: "." }, options);
  await turn(opened.engine, "One.");
  opened.engine.setModel("claude-sonnet-5");
  await turn(opened.engine, "Two.");
  expect(
    bodies(opened).map((body) => (body["output_config"] as Record<string, unknown> | undefined)?.["task_budget"]),
  ).toEqual([{ type: "tokens", total: 60_000 }, undefined]);
  expect(betas(opened)).toEqual(["task-budgets-2026-03-13", ""]);
  expect(told).toEqual(["claude-sonnet-5 does not support task budgets: the request is sent without one."]);
});

test("fast mode is requested from models that have it, and costs what the server bills", async () => {
  const opened = await openSession({ steps: [glob, "Done."] }, { model: "claude-opus-5-5", speed: "fast" });
  await turn(opened.engine, "Go.");
  expect(bodies(opened).map((body) => body["speed"])).toEqual(["fast", "fast"]);
  expect(betas(opened)).toEqual(["fast-mode-2026-02-01", "fast-mode-2026-02-01"]);
  const { totalUsd } = opened.engine.getCost();
  expect(totalUsd).toBeCloseTo(opened.model.bill.totalUsd, 12);
  const usual = await openSession({ steps: [glob, "Done."] }, { model: "claude-opus-5-5" });
  await turn(usual.engine, "Go.");
  expect(totalUsd / usual.engine.getCost().totalUsd).toBeGreaterThan(1.9);
});

test("the budget in dollars holds at the price of fast mode", async () => {
  for (const maxBudgetUsd of [0.02, 0.05, 0.1, 0.3]) {
    const { engine, model } = await openSession(
      { steps: Array.from({ length: 6 }, () => glob), fallback: "word ".repeat(3_000) },
      { model: "claude-opus-5", speed: "fast", maxBudgetUsd },
    );
    await turn(engine, "Go.");
    expect(model.bill.totalUsd).toBeLessThanOrEqual(maxBudgetUsd);
  }
});
