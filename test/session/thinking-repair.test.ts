// Thinking the API will not take back: left out once, said by a typed event, and the session goes on, whatever came before it.
import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import type { Part, RequestView, Rule, ScriptedModel } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const words =
  'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';
const hasThinking = ({ messages }: { messages: RequestView["messages"] }) =>
  JSON.stringify(messages).includes('"type":"thinking"');

/** Answers after a thought and a read; with `refuses` the next request with thinking is refused. */
function thinker(ground: Ground, message = words) {
  const path = ground.file("a.txt", "some words\n".repeat(400));
  const state = { refuses: false };
  const refusal: Rule = {
    when: { test: (request) => state.refuses && hasThinking(request) && !(state.refuses = false) },
    reply: { fault: { kind: "bad_request", message } },
  };
  const model = scripted({
    rules: [refusal, { when: { compacts: true }, reply: "They read." }],
    fallback: ({ lastToolResults }) => {
      const read: Part = { tool: "Read", input: { file_path: path } };
      return lastToolResults.length > 0
        ? { content: [{ thinking: "then" }, "Done."] }
        : { content: [{ thinking: "hm" }, read] };
    },
  });
  return { model, state, path };
}

const repairs = (messages: readonly SDKMessage[]) =>
  messages.filter(
    (message) =>
      message.type === "system" && message.subtype === "informational" && message.tag === "thinking_repaired",
  );

type Opened = { ground: Ground; model: ScriptedModel; engine: QueryEngine };
const situations: [string, (opened: Opened) => Promise<QueryEngine>][] = [
  ["in the middle of a session", async ({ engine }) => engine],
  [
    "after a compaction",
    async ({ engine }) => {
      for await (const message of engine.compact()) expect(message).toBeDefined();
      await turn(engine, "And again.");
      return engine;
    },
  ],
  [
    "after a switch of the model and back",
    async ({ engine }) => {
      engine.setModel("claude-opus-5-5");
      await turn(engine, "With another.");
      engine.setModel("claude-sonnet-5-5");
      return engine;
    },
  ],
  [
    "after an interruption",
    async ({ engine }) => {
      await turn(engine, "Stop.", { onMessage: (message) => message.type === "assistant" && engine.interrupt() });
      return engine;
    },
  ],
  [
    "after a resume",
    async ({ engine, ground, model }) => {
      await engine.dispose();
      return openOn(ground, model, { resume: engine.getSessionId() });
    },
  ],
];

describe.each(situations)("refused thinking %s", (_name, bring) => {
  async function brought(extra: EngineOptions = {}) {
    const ground = layGround();
    const { model, state } = thinker(ground);
    const engine = await openOn(ground, model, extra);
    for (const prompt of ["One.", "Two."]) await turn(engine, prompt);
    return { ground, model, state, engine: await bring({ ground, model, engine }) };
  }

  test("the request is repaired once, and the turn succeeds", async () => {
    const { engine, model, state, ground } = await brought();
    state.refuses = true;
    const before = calls(model).length;
    const { messages, result } = await turn(engine, "Go on.");
    expect(result.subtype).toBe("success");
    expect(repairs(messages)).toHaveLength(1);
    expect(messages.some((message) => message.type === "assistant" && message.error !== undefined)).toBe(false);
    const [refused, repaired] = calls(model).slice(before);
    expect([refused!.status, repaired!.status]).toEqual([400, 200]);
    expect(JSON.stringify(repaired!.body!.messages)).not.toContain('"type":"thinking"');
    expect(repaired!.body!.messages.length).toBe(refused!.body!.messages.length);
    const later = await turn(engine, "And on.");
    expect(repairs(later.messages)).toEqual([]);
    expect(JSON.stringify(calls(model).at(-1)!.body!.messages)).toContain('"type":"thinking"');
    expect(model.violations).toEqual([]);
    await engine.dispose();
    const resumed = await openOn(ground, model, { resume: engine.getSessionId() });
    expect((await turn(resumed, "Still there?")).result.subtype).toBe("success");
    expect(model.violations).toEqual([]);
  });
});

// Seen: nearly every turn began with a refused request, because each new answer's thinking was sent once more.
test("a server that knows no blocks of thinking refuses one request of a session; other models get theirs back", async () => {
  const ground = layGround();
  const unknown = "messages[1]: unknown variant `thinking`, expected one of `text`, `image_url`, `file`";
  const { model, state } = thinker(ground, unknown);
  const engine = await openOn(ground, model);
  for (const prompt of ["One.", "Two."]) {
    state.refuses = true;
    await turn(engine, prompt);
  }
  for await (const message of engine.compact()) expect(message).toBeDefined();
  await turn(engine, "Three.");
  await engine.dispose();
  const resumed = await openOn(ground, model, { resume: engine.getSessionId() });
  const { messages } = await turn(resumed, "Four.");
  expect(repairs(messages)).toEqual([]);
  expect(state.refuses).toBe(true);
  expect(calls(model).filter(({ status }) => status !== 200)).toHaveLength(1);
  state.refuses = false;
  resumed.setModel("claude-opus-5-5");
  await turn(resumed, "Five.");
  expect(hasThinking(calls(model).at(-1)!.body!)).toBe(true);
  expect(model.violations).toEqual([]);
});

test("a second refusal without thinking is the turn's error, and the next turn works", async () => {
  const ground = layGround();
  let refuses = true;
  const model = scripted({
    rules: [{ when: { test: () => refuses }, reply: { fault: { kind: "bad_request", message: words } } }],
    fallback: "Done.",
  });
  const engine = await openOn(ground, model);
  const { result, messages } = await turn(engine, "Go.");
  expect(result).toMatchObject({
    subtype: "error_during_execution",
    terminal_reason: "model_error",
    api_error_status: 400,
  });
  expect(repairs(messages)).toHaveLength(1);
  expect(calls(model)).toHaveLength(2);
  refuses = false;
  expect((await turn(engine, "Go.")).result.subtype).toBe("success");
});

test("a resume with another system prompt needs no repair: earlier thinking is not sent", async () => {
  const ground = layGround();
  const { model } = thinker(ground);
  const engine = await openOn(ground, model);
  await turn(engine, "One.");
  for await (const message of engine.compact()) expect(message).toBeDefined();
  await turn(engine, "Two.");
  await engine.dispose();
  const resumed = await openOn(ground, model, { resume: engine.getSessionId(), appendSystemPrompt: "Be brief." });
  const { messages, result } = await turn(resumed, "Three.");
  expect(result.subtype).toBe("success");
  expect(repairs(messages)).toEqual([]);
  expect(model.violations).toEqual([]);
  expect(calls(model).filter(({ status }) => status === 400)).toEqual([]);
});

test.each([
  ["the session", {}],
  ["a fork of the session", { forkSession: true }],
])("a resume past a damaged line leaves out later thinking at once: %s", async (_name, extra) => {
  const ground = layGround();
  const { model } = thinker(ground);
  const engine = await openOn(ground, model);
  for (const prompt of ["One.", "Two."]) await turn(engine, prompt);
  await engine.dispose();
  const path = engine.getTranscriptPath()!;
  const lines = readFileSync(path, "utf8").split("\n");
  const at = lines.findIndex((line) => line.includes('"One."'));
  writeFileSync(path, lines.with(at, "damaged").join("\n"));
  const before = calls(model).length;
  let resume = engine.getSessionId();
  for (const prompt of ["Three.", "Four."]) {
    const resumed = await openOn(ground, model, { resume, ...extra });
    const { messages, result } = await turn(resumed, prompt);
    expect(result.subtype).toBe("success");
    expect(repairs(messages)).toEqual([]);
    resume = resumed.getSessionId();
    await resumed.dispose();
  }
  expect(
    calls(model)
      .slice(before)
      .map(({ status }) => status),
  ).toEqual([200, 200, 200, 200]);
  // Thinking since is sent back.
  expect(JSON.stringify(calls(model).at(-1)!.body!.messages)).toContain('"type":"thinking"');
  expect(model.violations).toEqual([]);
});

test.each<[string, Part[]]>([
  ["is refused", [{ thinking: "hm" }]],
  ["is missed", []],
])("thinking that %s within a turn is switched off for that turn only", async (_, thought) => {
  const ground = layGround();
  const read: Part[] = [...thought, { tool: "Glob", input: { pattern: "*" } }];
  const model = scripted({ steps: [{ content: read }, { content: read }, "Done.", "Done."] });
  const asked: string[] = [];
  const engine = await openOn(ground, model, {
    model: "claude-opus-4-6",
    thinking: { type: "enabled", budgetTokens: 4_000 },
    async transport(exchange) {
      const { thinking, messages } = JSON.parse(Buffer.from(exchange.body).toString()) as {
        thinking: { type: string };
        messages: unknown[];
      };
      asked.push(thinking.type);
      const isRefused = JSON.stringify(messages).includes('"type":"thinking"');
      const isMissed = thinking.type === "enabled" && JSON.stringify(messages.at(-1)).includes("tool_result");
      if (!isRefused && !isMissed) return await model.handle(exchange);
      const missed = "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.";
      const body = [Buffer.from(JSON.stringify({ error: { message: isRefused ? words : missed } }))];
      return { status: 400, headers: {}, body: ReadableStream.from(body) };
    },
  });
  await turn(engine, "Look.");
  await turn(engine, "Again.");
  expect(asked).toEqual(["enabled", "enabled", "disabled", "disabled", "enabled"]);
});
