// What a session spends, against the server's bill: limits, fallback, unknown prices, and going on after a resume.
import { cpSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import type { ContentBlock, EngineOptions, ModelUsage } from "../../src/index.ts";
import type { RequestView } from "../../src/testing/index.ts";
import { tool } from "../../src/session/tools/custom-tool.ts";
import { image, png } from "../testing/images.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  impatientClock,
  layGround,
  openOn,
  openSession,
  scripted,
  turn,
} from "./support.ts";
import { isAgent } from "../support/is-agent.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const long = "word ".repeat(20_000);

function priced(name: string, more: object = {}): string {
  const model = { contextWindow: 200_000, maxOutputTokens: 64_000, prices: { input: 1, output: 10 }, ...more };
  return JSON.stringify({ models: { [name]: model } });
}

const serverPrices = {
  models: { mine: {} },
  prices: { mine: { input: 1, output: 10, cacheWrite5m: 1.25, cacheWrite1h: 2, cacheRead: 0.1 } },
};

describe("with a budget", () => {
  const options: EngineOptions = { model: "mine", settings: priced("mine"), tools: [], systemPrompt: "Be short." };

  test("an answer cut by a lowered max_tokens ends the run by its budget, and is not tombstoned", async () => {
    const { engine, model } = await openSession(
      { ...serverPrices, fallback: long },
      { ...options, maxBudgetUsd: 0.04 },
    );
    const { result, messages } = await turn(engine, "Write a book.");
    expect(result).toMatchObject({
      subtype: "error_max_budget_usd",
      terminal_reason: "budget_exhausted",
      stop_reason: "max_tokens",
      errors: ["Reached maximum budget ($0.04)"],
    });
    const [call] = calls(model);
    expect(calls(model)).toHaveLength(1);
    expect(call!.body!.max_tokens).toBeGreaterThanOrEqual(1_024);
    expect(call!.body!.max_tokens).toBeLessThan(8_000);
    expect(messages.some((message) => message.type === "system" && message.subtype === "tombstone")).toBe(false);
    expect(model.bill.totalUsd).toBeLessThanOrEqual(0.04);
    expect(result.total_cost_usd).toBeCloseTo(model.bill.totalUsd, 10);
  });

  test("a lowered max_tokens leaves a request with a thinking budget valid", async () => {
    const settings = priced("mine", { thinking: "enabled" });
    for (const budget of [0.02, 0.03, 0.05]) {
      const { engine, model } = await openSession(
        { ...serverPrices, fallback: long },
        { ...options, settings, thinking: { type: "enabled", budgetTokens: 6_000 }, maxBudgetUsd: budget },
      );
      await turn(engine, "Write a book.");
      expect(model.violations).toEqual([]);
      expect(model.bill.totalUsd).toBeLessThanOrEqual(budget);
    }
  });

  test("an image or a document counts by its possible cost, not by its bytes, if the server cannot count tokens", async () => {
    const padding = Buffer.alloc(300_000, "x");
    const picture = image(Buffer.concat([Buffer.from(png(280, 280), "base64"), padding]).toString("base64"));
    const pages = "1 0 obj <</Type /Page>> endobj ".repeat(3);
    const data = Buffer.concat([Buffer.from(`%PDF-1.7 ${pages}`), padding]).toString("base64");
    const document = { type: "document", source: { type: "base64", media_type: "application/pdf", data } };
    for (const [media, maxBudgetUsd] of [
      [picture, 0.1],
      [document, 0.2],
    ] as const) {
      const model = scripted({ fallback: "A square." }, { endpoint: "compatible" });
      const options = { tools: [], systemPrompt: "Be short.", maxBudgetUsd, maxOutputTokens: 4_000 };
      const engine = await openOn(layGround(), model, options);
      const { result } = await turn(engine, [media as ContentBlock, { type: "text", text: "What is it?" }]);
      expect(result).toMatchObject({ subtype: "success", result: "A square." });
      expect(model.bill.totalUsd).toBeLessThanOrEqual(maxBudgetUsd);
    }
  });

  test("asks the server for an exact count only near the limit", async () => {
    const { engine, model } = await openSession(
      { ...serverPrices, fallback: "word ".repeat(1_000) },
      { ...options, maxBudgetUsd: 0.3 },
    );
    let result = (await turn(engine, "Go.")).result;
    expect(model.requests.filter(({ endpoint }) => endpoint === "count_tokens")).toHaveLength(0);
    for (let more = 0; more < 30 && result.subtype === "success"; more++)
      result = (await turn(engine, "Go on.")).result;
    expect(result.terminal_reason).toBe("budget_exhausted");
    expect(model.requests.filter(({ endpoint }) => endpoint === "count_tokens").length).toBeGreaterThan(0);
    expect(model.bill.totalUsd).toBeLessThanOrEqual(0.3);
    expect(model.bill.totalUsd).toBeGreaterThan(0.15);
  });

  test("still runs the tools of a paid answer, and the history stays complete", async () => {
    const ground = layGround();
    ground.file("a.txt", "text of a");
    const model = scripted({
      ...serverPrices,
      steps: [{ content: ["word ".repeat(2_500), { tool: "Read", input: { file_path: `${ground.work}/a.txt` } }] }],
      fallback: "Enough.",
    });
    const engine = await openOn(ground, model, { ...options, tools: ["Read"], maxBudgetUsd: 0.045 });
    const { result, messages } = await turn(engine, "Read a.");
    expect(result).toMatchObject({ terminal_reason: "budget_exhausted", num_turns: 2 });
    expect(JSON.stringify(messages)).toContain("text of a");
    expect(calls(model)).toHaveLength(1);
  });

  test("does not run a model without a price, and the answer says why", async () => {
    const { engine, model } = await openSession({ fallback: "Hi." }, { model: "nobodys", maxBudgetUsd: 1, tools: [] });
    const { result } = await turn(engine, "Hi.");
    expect(result.subtype).toBe("error_max_budget_usd");
    expect(calls(model)).toHaveLength(0);
    expect("errors" in result && result.errors.join()).toMatch(/nobodys has no known price/);
  });
});

test("a model without a price is reported once, counted as $0 and marked", async () => {
  const notices: string[] = [];
  const { engine } = await openSession(
    { models: { nobodys: {} }, fallback: "Hi." },
    { model: "nobodys", tools: [], onNotice: (text) => notices.push(text) },
  );
  await turn(engine, "Hi.");
  const { result } = await turn(engine, "Hi again.");
  expect(notices.filter((text) => text.includes("nobodys"))).toHaveLength(1);
  expect(result.total_cost_usd).toBe(0);
  expect(result.modelUsage["nobodys"]).toMatchObject({ costUSD: 0, costBasis: "unknown" });
  expect(result.modelUsage["nobodys"]!.inputTokens).toBeGreaterThan(0);
});

test("a server that reports no tokens makes the cost unknown, which is reported once and never shown as $0", async () => {
  const notices: string[] = [];
  const onNotice = (text: string): void => void notices.push(text);
  const usage = { input_tokens: 0, output_tokens: 0 };
  const { engine } = await openSession(
    { steps: [{ content: ["One."], usage }, { content: ["Two."], usage }, "Three."] },
    { tools: [], onNotice },
  );
  await turn(engine, "1");
  const { result } = await turn(engine, "2");
  expect(notices.filter((text) => text.includes("does not report all tokens of claude-sonnet-5-5"))).toHaveLength(1);
  expect(result.total_cost_usd).toBe(0);
  expect(result.modelUsage["claude-sonnet-5-5"]).toMatchObject({ costUSD: 0, costBasis: "unknown" });
  expect((await turn(engine, "/cost")).result).toMatchObject({
    result: expect.stringMatching(/^cost unknown so far/u),
  });
  const counted = await turn(engine, "3");
  expect(counted.result.modelUsage["claude-sonnet-5-5"]).toMatchObject({ costBasis: "unknown" });
  expect((await turn(engine, "/cost")).result).toMatchObject({
    result: expect.stringMatching(/^at least \$0\.0\d+ so far/u),
  });
});

test("an answer without reported length stays charged at its maximum, and its cost counts as unknown", async () => {
  const notices: string[] = [];
  const usage = { input_tokens: 50, output_tokens: 0 };
  const { engine, model } = await openSession(
    { ...serverPrices, steps: [{ content: ["One."], usage }, "Two."] },
    {
      model: "mine",
      settings: priced("mine"),
      tools: [],
      systemPrompt: "Be short.",
      maxBudgetUsd: 0.08,
      onNotice: (text) => notices.push(text),
    },
  );
  const first = await turn(engine, "1");
  expect(first.result).toMatchObject({ subtype: "success", modelUsage: { mine: { costBasis: "unknown" } } });
  expect(notices.join()).toContain("does not report all tokens of mine");
  expect((await turn(engine, "2")).result).toMatchObject({ subtype: "error_max_budget_usd" });
  expect(calls(model)).toHaveLength(1);
});

test("a fallback model has its own figures, and the next turn asks the first model again", async () => {
  const busy = { fault: "overloaded" as const };
  const { engine, model } = await openSession(
    { steps: [busy, busy, busy, "From the other.", "From the first."] },
    { fallbackModel: "claude-haiku-5-5", clock: impatientClock },
  );
  const first = await turn(engine, "Hi.");
  expect(first.result).toMatchObject({ result: "From the other." });
  expect(Object.keys(first.result.modelUsage)).toEqual(["claude-haiku-5-5"]);
  const second = await turn(engine, "Hi again.");
  expect(calls(model).at(-1)!.body!.model).toBe("claude-sonnet-5-5");
  expect(Object.keys(second.result.modelUsage).toSorted()).toEqual(["claude-haiku-5-5", "claude-sonnet-5-5"]);
  expect(second.result.total_cost_usd).toBeCloseTo(model.bill.totalUsd, 10);
});

test("leaves out a fallback model without a price when there is a budget, so an overload is retried instead", async () => {
  const busy = { fault: "overloaded" as const };
  const notices: string[] = [];
  const { engine, model } = await openSession(
    { steps: [busy, busy, busy, "From the first."] },
    { fallbackModel: "mine", maxBudgetUsd: 1, clock: impatientClock, onNotice: (text) => void notices.push(text) },
  );
  expect((await turn(engine, "Hi.")).result).toMatchObject({ result: "From the first." });
  expect(new Set(calls(model).map(({ body }) => body?.model))).toEqual(new Set(["claude-sonnet-5-5"]));
  expect(notices).toEqual(["The fallback model mine was left out: its price is unknown, so no budget can limit it."]);
});

test("a resumed session continues the cost and starts a new budget", async () => {
  const ground = layGround();
  const model = scripted({ ...serverPrices, fallback: "word ".repeat(3_000) });
  const options: EngineOptions = { model: "mine", settings: priced("mine"), tools: [], maxBudgetUsd: 0.1 };
  const engine = await openOn(ground, model, options);
  const first = (await turn(engine, "1")).result;
  expect(first.subtype).toBe("success");
  await engine.dispose();
  const again = await openOn(ground, model, { ...options, resume: engine.getSessionId() });
  expect(again.getCost().totalUsd).toBeCloseTo(first.total_cost_usd, 12);
  const second = (await turn(again, "2")).result;
  expect(second.subtype).toBe("success");
  expect(second.total_cost_usd).toBeCloseTo(model.bill.totalUsd, 10);
  expect(second.modelUsage["mine"]!.outputTokens).toBe(
    calls(model).reduce((sum, call) => sum + Number(call.usage?.output_tokens), 0),
  );
});

test("knows an agent's cost after the process died in the middle of the agent's calls", async () => {
  const ground = layGround();
  const later = { ...layGround(), work: ground.work };
  const begin = { tool: "Agent", input: { description: "a task", prompt: "Wait." } };
  const reply = ({ systemText, turns }: RequestView) => {
    if (turns > 0) return "Done.";
    return { content: [isAgent({ systemText }) ? { tool: "wait", input: {} } : begin] };
  };
  let spent = 0;
  const wait = tool("wait", "Waits.", { type: "object" }, async () => {
    // A call begins before the answer that it is in has ended.
    while (engine.getCost().totalUsd < model.bill.totalUsd - 1e-9) await new Promise(setImmediate);
    cpSync(ground.pawlHome, later.pawlHome, { recursive: true, filter: (path) => !path.endsWith(".lock") });
    spent = engine.getCost().totalUsd;
    return "waited";
  });
  const options: EngineOptions = { customTools: [wait], allowedTools: ["wait", "Agent"] };
  const { engine, model } = await openSession({ rules: [{ when: {}, reply }] }, options, ground);
  await turn(engine, "Go.");
  const again = await openOn(later, model, { resume: engine.getSessionId() });
  expect(spent).toBeGreaterThan(0);
  expect(again.getCost().totalUsd).toBeCloseTo(spent, 12);
});

test("knows what an answer had used at its start after the process died in the middle of it", async () => {
  const ground = layGround();
  const later = { ...layGround(), work: ground.work };
  const { engine, model } = await openSession({ fallback: "An answer." }, {}, ground);
  let usage: unknown;
  for await (const message of engine.submitMessage("Go.")) {
    if (message.type !== "assistant" || usage !== undefined) continue;
    usage = message.message.usage;
    cpSync(ground.pawlHome, later.pawlHome, { recursive: true, filter: (path) => !path.endsWith(".lock") });
  }
  const [spent] = Object.values(engine.getCost().modelUsage);
  const again = await openOn(later, model, { resume: engine.getSessionId() });
  const [begun] = Object.values(again.getCost().modelUsage);
  expect(usage).toMatchObject({ input_tokens: spent?.inputTokens, output_tokens: 1 });
  expect(begun).toMatchObject({ ...spent, outputTokens: 1, costUSD: again.getCost().totalUsd });
  expect(begun?.costUSD).toBeGreaterThan(0);
  expect(begun?.costUSD).toBeLessThan(engine.getCost().totalUsd);
  await turn(again, "Go on.");
  expect(again.getCost().totalUsd).toBeCloseTo(model.bill.totalUsd - engine.getCost().totalUsd + begun!.costUSD, 12);
});

test("knows what an agent's answer had used at its start after the process died in the middle of it", async () => {
  const ground = layGround();
  const later = { ...layGround(), work: ground.work };
  const begin = { tool: "Agent", input: { description: "a task", prompt: "Say something." } };
  const reply = ({ systemText, turns }: RequestView) =>
    turns > 0 || isAgent({ systemText }) ? "Done." : { content: [begin] };
  const options: EngineOptions = { allowedTools: ["Agent"], forwardSubagentText: true };
  const { engine, model } = await openSession({ rules: [{ when: {}, reply }] }, options, ground);
  let [before, begun] = [0, 0];
  for await (const message of engine.submitMessage("Go.")) {
    if (message.type !== "assistant" || message.parent_tool_use_id === null || begun > 0) continue;
    const {
      input_tokens: plain,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: made,
    } = message.message.usage;
    [before, begun] = [inputOf(engine), plain + (read ?? 0) + (made ?? 0)];
    cpSync(ground.pawlHome, later.pawlHome, { recursive: true, filter: (path) => !path.endsWith(".lock") });
  }
  const again = await openOn(later, model, { resume: engine.getSessionId() });
  expect(begun).toBeGreaterThan(0);
  expect(inputOf(again)).toBe(before + begun);
  const spent = engine.getCost().totalUsd;
  const known = again.getCost().totalUsd;
  await turn(again, "Go on.");
  expect(again.getCost().totalUsd).toBeCloseTo(model.bill.totalUsd - spent + known, 12);
});

function inputOf(engine: { getCost(): { modelUsage: Record<string, ModelUsage> } }): number {
  const used = Object.values(engine.getCost().modelUsage);
  const inputs = used.map((each) => each.inputTokens + each.cacheReadInputTokens + each.cacheCreationInputTokens);
  return inputs.reduce((sum, each) => sum + each, 0);
}

test("reads 97 % of what is sent from the cache over a hundred turns, five prompts and a resume", async () => {
  const ground = layGround();
  const text = "one line of a file, as long as such lines are\n".repeat(60);
  let now = Date.parse("2026-11-20T12:00:00Z");
  const model = scripted(
    {
      fallback: (request) =>
        request.turns % 20 === 19
          ? "Done."
          : { content: ["Next.", { tool: "Read", input: { file_path: ground.file(`${request.turns}.txt`, text) } }] },
    },
    { now: () => (now += 2_000) },
  );
  let engine = await openOn(ground, model);
  for (const prompt of ["1", "2", "3", "4", "5"]) {
    expect((await turn(engine, prompt)).result).toMatchObject({ subtype: "success", num_turns: 20 });
    if (prompt !== "3") continue;
    await engine.dispose();
    engine = await openOn(ground, model, { resume: engine.getSessionId() });
  }
  console.log(`cache: ${(model.cacheReadShare * 100).toFixed(2)} % of ${calls(model).length} requests read`);
  expect(calls(model)).toHaveLength(100);
  expect(model.cacheReadShare).toBeGreaterThan(0.97);
  expect(model.violations).toEqual([]);
});

test("refuses invalid limits before anything is created", async () => {
  for (const extra of [
    { maxTurns: 0 },
    { maxTurns: 1.5 },
    { maxBudgetUsd: 0 },
    { maxBudgetUsd: -1 },
    { maxBudgetUsd: NaN },
  ])
    await expect(openSession({}, extra)).rejects.toMatchObject({ name: "UsageError" });
});

test("charges nothing for an answer refused before its first word, but charges for a later refusal, like the API", async () => {
  for (const content of ["", "Well, then"]) {
    const { engine, model } = await openSession({ steps: [{ content, stopReason: "refusal" }] });
    const { result } = await turn(engine, "Go.");
    expect(result.terminal_reason).toBe("model_error");
    expect(result.total_cost_usd).toBeCloseTo(model.bill.totalUsd, 10);
    expect(result.total_cost_usd > 0).toBe(content !== "");
  }
});
