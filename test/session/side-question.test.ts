// A question beside the work, over real HTTP: it reads the conversation's whole prefix from the cache and leaves no trace in it.
import { afterEach, describe, expect, test } from "vitest";
import { createEngine, tool, type EngineOptions, type QueryEngine } from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import {
  startScriptedServer,
  type Reply,
  type RequestRecord,
  type Rule,
  type Script,
  type ScriptedServer,
} from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, layGround, linesOf, optionsFor, turn } from "./support.ts";

clearGroundsAfterwards();
const open: { engine: QueryEngine; server: ScriptedServer }[] = [];
afterEach(async () => {
  for (const { engine, server } of open.splice(0)) {
    await engine.dispose();
    await server.close();
  }
});

const aside: Rule = { name: "aside", when: { lastUserText: "beside the work" }, reply: "A heron." };
const long = "Some words that are long enough to be cached. ".repeat(400);

async function serve(script: Script, extra: EngineOptions = {}) {
  const ground = layGround();
  ground.file("book.txt", long);
  const server = await startScriptedServer({ rules: [aside], ...script });
  const { transport: _, ...options } = optionsFor(ground, server, extra);
  const env = { ...options.env, ANTHROPIC_BASE_URL: server.url };
  const engine = await createEngine({ ...options, env });
  open.push({ engine, server });
  return { engine, server };
}

const read = { content: [{ tool: "Read", input: { file_path: "book.txt" } }] };
const asked = (server: ScriptedServer): RequestRecord[] =>
  calls(server).filter(({ source }) => source === 'rule "aside"');

test("requests no longer answer than the window has room for", async () => {
  const models = { small: { contextWindow: 20_000, maxOutputTokens: 16_000, prices: { input: 1, output: 5 } } };
  const { engine, server } = await serve(
    { models: { small: {} }, fallback: "Read." },
    { model: "small", settings: JSON.stringify({ models }), env: { DISABLE_AUTO_COMPACT: "1" } },
  );
  await turn(engine, "Some words that are to be read. ".repeat(1_400));
  expect(await engine.sideQuestion("What is beside the work?")).toMatchObject({ answered: true });
  const [{ body, cache }] = asked(server) as [RequestRecord];
  expect(body!.max_tokens + cache!.promptTokens).toBeLessThanOrEqual(20_000);
});

/** All that was sent before is read, and what is sent besides is the same. */
function expectFullHit(before: RequestRecord, { cache, body }: RequestRecord): void {
  expect(cache!.readTokens).toBe(before.cache!.readTokens + before.cache!.write5mTokens);
  expect(cache!.readTokens).toBe(before.cache!.promptTokens);
  const fixed = (record: RequestRecord["body"]) => ({ ...record, messages: undefined, max_tokens: undefined });
  expect(fixed(body)).toEqual(fixed(before.body));
}

describe("between turns, a side question", () => {
  test.each<[string, EngineOptions]>([
    ["by default", {}],
    ["with an effort", { model: "claude-opus-5", effort: "low" }],
    [
      "with thinking within a budget",
      { model: "claude-sonnet-4-5", thinking: { type: "enabled", budgetTokens: 10_000 } },
    ],
    ["with thinking off", { model: "claude-opus-4-8", thinking: { type: "disabled" } }],
  ])("reads the whole last request from the cache: %s", async (_name, extra) => {
    const { engine, server } = await serve({ steps: [read, "Read."] }, extra);
    await turn(engine, "Read the book.");
    const answer = await engine.sideQuestion("Which bird is it?");
    expect(answer).toMatchObject({ answered: true, text: "A heron." });
    expectFullHit(calls(server)[1]!, asked(server)[0]!);
    expect(server.violations).toEqual([]);
  });

  test("is not part of the conversation, but is billed", async () => {
    const { engine, server } = await serve({ steps: [read, "Read.", "Again."] });
    await turn(engine, "Read the book.");
    const before = {
      messages: engine.getMessages().length,
      lines: linesOf(engine).length,
      usd: engine.getCost().totalUsd,
    };
    await engine.sideQuestion("Which bird is it?");
    expect(engine.getMessages()).toHaveLength(before.messages);
    expect(linesOf(engine).slice(before.lines)).toMatchObject([
      { type: "ledger", data: { totalUsd: before.usd, open: [{ usage: { outputTokens: 1 } }] } },
      { type: "ledger", data: { totalUsd: engine.getCost().totalUsd } },
    ]);
    expect(engine.getCost().totalUsd).toBeGreaterThan(before.usd);
    expect(engine.getCost().totalUsd).toBeCloseTo(server.bill.totalUsd, 10);
    await turn(engine, "Once more.");
    expect(JSON.stringify(calls(server).at(-1)?.body)).not.toContain("heron");
  });

  test("has its cost recorded even if messages were appended without a turn before it", async () => {
    const { engine } = await serve({ steps: [read, "Read."] });
    await turn(engine, "Read the book.");
    engine.append("By the way: it is an old one.");
    await engine.sideQuestion("Which bird is it?");
    expect(linesOf(engine).at(-1)).toMatchObject({ type: "ledger", data: { totalUsd: engine.getCost().totalUsd } });
  });

  test("gets its tool calls refused, and is then answered", async () => {
    let runs = 0;
    const count = tool("Count", "Counts.", { type: "object" }, async () => String(++runs));
    const { engine, server } = await serve(
      {
        rules: [
          { when: { lastToolResult: { isError: true } }, reply: "Then I guess: a heron." },
          {
            when: { lastUserText: "beside the work" },
            reply: { content: ["Let me see.", { tool: "Count", input: {} }] },
          },
        ],
        steps: ["Hello."],
      },
      { customTools: [count], allowedTools: ["Count"] },
    );
    await turn(engine, "Hello.");
    expect(await engine.sideQuestion("How many?")).toMatchObject({ answered: true, text: "Then I guess: a heron." });
    expect(runs).toBe(0);
    expect(JSON.stringify(calls(server).at(-1)?.body?.messages.at(-1))).toContain("Tools do not run here");
    expect(server.violations).toEqual([]);
  });

  test("is answered before the first prompt, too, without creating a transcript", async () => {
    const { engine } = await serve({});
    expect(await engine.sideQuestion("Which bird?")).toMatchObject({ answered: true });
    expect(engine.getMessages()).toEqual([]);
    expect(() => linesOf(engine)).toThrow(/ENOENT/u);
  });

  test("that fails is answered with the reason", async () => {
    const refusing: Rule = { when: { lastUserText: "beside the work" }, reply: { fault: "not_found" } };
    const { engine } = await serve({ rules: [refusing], steps: ["Hello."] });
    await turn(engine, "Hello.");
    expect(await engine.sideQuestion("Why?")).toMatchObject({ answered: false, why: expect.stringContaining("model") });
  });

  test("is not asked if the budget does not cover it", async () => {
    const { engine, server } = await serve({ steps: [read, "Read."] }, { maxBudgetUsd: 0.2, maxOutputTokens: 1_024 });
    await turn(engine, "Read the book.");
    const { engine: poor, server: other } = await serve({ steps: ["Hello."] }, { maxBudgetUsd: 0.0001 });
    expect(await poor.sideQuestion("Which bird?")).toMatchObject({
      answered: false,
      why: "the budget does not cover it",
    });
    expect(calls(other)).toEqual([]);
    await engine.sideQuestion("Which bird?");
    expect(server.bill.totalUsd).toBeLessThanOrEqual(0.2);
  });

  test("is ended by an abort, an interrupt and the end of the session", async () => {
    const slow: Rule = {
      when: { lastUserText: "beside the work" },
      reply: { content: "Late.", pace: { firstByteMs: 60_000 } },
    };
    const { engine } = await serve({ rules: [slow], steps: ["Hello."] });
    await turn(engine, "Hello.");
    const controller = new AbortController();
    const first = engine.sideQuestion("One?", { signal: controller.signal });
    controller.abort();
    const second = engine.sideQuestion("Two?");
    engine.interrupt();
    const third = engine.sideQuestion("Three?", { signal: AbortSignal.abort() });
    const fourth = engine.sideQuestion("Four?");
    await engine.dispose();
    for (const answer of await Promise.all([first, second, third, fourth]))
      expect(answer).toMatchObject({ answered: false, why: "it was interrupted" });
  });
});

describe("a UserPromptSubmit hook", () => {
  const judging = (answer: (prompt: string) => Record<string, unknown>): EngineOptions => ({
    hooks: { UserPromptSubmit: [{ callback: async ({ prompt }: { prompt?: unknown }) => answer(String(prompt)) }] },
  });

  // Seen: a hook that keeps secrets from the model was bypassed if they came after /btw.
  test("that blocks a prompt blocks a side question, which then reaches no model", async () => {
    const blocked = { decision: "block", reason: "no keys, please" };
    const extra = judging((prompt) => (prompt.includes("hunter2") ? blocked : {}));
    const { engine, server } = await serve({ steps: ["Hello."] }, extra);
    await turn(engine, "Hello.");
    expect(await engine.sideQuestion("Is hunter2 strong?")).toMatchObject({
      answered: false,
      why: "a hook blocked the question: no keys, please",
    });
    const { result } = await turn(engine, "/btw Is hunter2 strong?");
    expect(result).toMatchObject({ is_error: true, local_command: "btw" });
    expect(JSON.stringify(calls(server))).not.toContain("hunter2");
    expect(await engine.sideQuestion("Which bird?")).toMatchObject({ answered: true, text: "A heron." });
  });

  test("can add text to a side question, which is not kept", async () => {
    const added = (additionalContext: string) => ({
      systemMessage: "Looked at.",
      hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext },
    });
    const notices: string[] = [];
    const extra = { ...judging((prompt) => added(`heard ${prompt}`)), onNotice: (text: string) => notices.push(text) };
    const { engine, server } = await serve({ steps: ["Hello.", "Again."] }, extra);
    await turn(engine, "Hello.");
    await engine.sideQuestion("Which bird?");
    expect(JSON.stringify(asked(server)[0]?.body?.messages.at(-1))).toContain("additional context: heard Which bird?");
    expect(notices.join()).toContain("Looked at.");
    await turn(engine, "Again.");
    expect(JSON.stringify(calls(server).at(-1)?.body)).not.toContain("heard Which bird?");
  });
});

describe("while a turn runs, a side question", () => {
  test("is answered from the last request, without affecting the turn", async () => {
    let answered: unknown;
    const ask = tool("Ask", "Asks.", { type: "object" }, async () => {
      answered = await open.at(-1)!.engine.sideQuestion("Which bird is it?");
      return "asked";
    });
    const { engine, server } = await serve(
      { steps: [read, { content: [{ tool: "Ask", input: {} }] }, "Read."] },
      { customTools: [ask], allowedTools: ["Ask"] },
    );
    const { result } = await turn(engine, "Read the book.");
    expect(answered).toMatchObject({ answered: true, text: "A heron." });
    expect(result).toMatchObject({ subtype: "success", result: "Read." });
    const all = calls(server);
    const [question] = asked(server);
    expectFullHit(all[all.indexOf(question!) - 1]!, question!);
    // The turn's own next request finds what it had written, too.
    const next = all[all.indexOf(question!) + 1]!;
    expect(next.cache!.readTokens).toBeGreaterThanOrEqual(question!.cache!.readTokens);
    expect(server.violations).toEqual([]);
    expect(engine.getCost().totalUsd).toBeCloseTo(server.bill.totalUsd, 10);
  });

  test("can be sent as /btw, with a result of its own and no init; other prompts cannot", async () => {
    const seen: SDKMessage[] = [];
    let other: unknown = "not asked";
    const ask = tool("Ask", "Asks.", { type: "object" }, async () => {
      const { engine } = open.at(-1)!;
      other = engine.submitBeside("/context") ?? engine.submitBeside("Go on.");
      for await (const message of engine.submitBeside("/btw Which bird?")!) seen.push(message);
      return "asked";
    });
    const { engine } = await serve(
      { steps: [{ content: [{ tool: "Ask", input: {} }] }, "Done."] },
      { customTools: [ask], allowedTools: ["Ask"] },
    );
    expect(engine.submitBeside("/btw Which bird?")).toBeUndefined();
    await turn(engine, "Ask.");
    expect(other).toBeUndefined();
    expect(seen).toMatchObject([
      { type: "system", subtype: "local_command_output", command: "btw", content: "A heron." },
      { type: "result", subtype: "success", result: "A heron.", local_command: "btw" },
    ]);
  });

  test("sent as /btw that outlasts its turn is reported under the session it was asked in", async () => {
    const heard = Promise.withResolvers<void>();
    const stalled = (): Reply => {
      heard.resolve();
      return { content: "Never.", fault: { kind: "stall", at: "headers" } };
    };
    const seen: SDKMessage[] = [];
    let reading: Promise<void> | undefined;
    const ask = tool("Ask", "Asks.", { type: "object" }, async () => {
      const beside = open.at(-1)!.engine.submitBeside("/btw Which bird?")!;
      reading = (async () => {
        for await (const message of beside) seen.push(message);
      })();
      await heard.promise;
      return "asked";
    });
    const { engine } = await serve(
      { steps: [{ content: [{ tool: "Ask", input: {} }] }, "Done."], rules: [{ ...aside, reply: stalled }] },
      { customTools: [ask], allowedTools: ["Ask"] },
    );
    await turn(engine, "Ask.");
    const session_id = engine.getSessionId();
    const total_cost_usd = engine.getCost().totalUsd;
    await engine.clear();
    await reading;
    expect(engine.getSessionId()).not.toBe(session_id);
    expect(seen).toMatchObject([
      { subtype: "local_command_output", session_id },
      { session_id, total_cost_usd },
    ]);
  });

  test("sent as /btw can be left at once by another caller, and the turn goes on", async () => {
    const heard = Promise.withResolvers<void>();
    const stalled = (): Reply => {
      heard.resolve();
      return { content: "Never.", fault: { kind: "stall", at: "headers" } };
    };
    const ask = tool("Ask", "Asks.", { type: "object" }, async () => {
      const beside = open.at(-1)!.engine.submitBeside("/btw Which bird?")!;
      const reading = (async () => {
        for await (const _ of beside) continue;
      })();
      await heard.promise;
      await beside.return();
      await reading;
      return "asked";
    });
    const { engine } = await serve(
      { steps: [{ content: [{ tool: "Ask", input: {} }] }, "Done."], rules: [{ ...aside, reply: stalled }] },
      { customTools: [ask], allowedTools: ["Ask"] },
    );
    expect((await turn(engine, "Ask.")).result).toMatchObject({ subtype: "success", result: "Done." });
  });
});

test("/btw as a prompt of its own is a turn without a model call in the conversation", async () => {
  const { engine } = await serve({ steps: ["Hello."] });
  await turn(engine, "Hello.");
  const { result } = await turn(engine, "/btw Which bird is it?");
  expect(result).toMatchObject({ result: "A heron.", num_turns: 0, local_command: "btw" });
  const empty = await turn(engine, "/btw");
  expect(empty.result).toMatchObject({ is_error: true });
});
