// The ports of somebody who takes the loop alone: the least that is right.
import { expect, test } from "vitest";
import {
  createCancel,
  createState,
  plainConfig,
  plainModel,
  plainPorts,
  plainTool,
  query,
  type LoopPorts,
  type Message,
  type ModelEvent,
  type ModelFailure,
  type ModelOutcome,
  type Terminal,
  type ToolUseBlock,
} from "../../src/loop/index.ts";
import type { Settlement } from "../../src/protocol/money.ts";
import { contentText } from "../../src/protocol/block-text.ts";

const usage = { inputTokens: 1, outputTokens: 1, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
const overloaded: ModelFailure = { kind: "overloaded", message: "busy", recovery: "retry", overload: true };

type Said = ToolUseBlock | string | ModelFailure;

/** Waits pass at once, and no limit is reached. */
const clock = {
  now: () => 0,
  elapsed: () => 0,
  timestamp: () => "2026-01-01T00:00:00.000Z",
  timer(ms: number, fire: () => void) {
    const handle = ms < 60_000 ? setImmediate(fire) : undefined;
    return () => clearImmediate(handle);
  },
};

function createIds() {
  let id = 0;
  return { uuid: () => `id-${++id}`, random: () => 0 };
}

/** Runs one turn in which the model says this. */
async function ran(said: Said[], tools = [note, look], own: Partial<LoopPorts> = {}, cancel = createCancel()) {
  const left = [...said];
  let calls = 0;
  const model = plainModel(async function* (): AsyncGenerator<never, ModelOutcome> {
    yield* [];
    calls++;
    const next = left.shift() ?? "Done.";
    if (typeof next === "object" && "recovery" in next) return { ok: false, failure: next };
    const block = typeof next === "string" ? { type: "text" as const, text: next } : next;
    yield { type: "start", messageId: `m${calls}`, usage } as never;
    yield { type: "block", index: 0, block } as never;
    return { ok: true, stopReason: typeof next === "string" ? "end_turn" : "tool_use", usage };
  });
  const prompt: Message = { type: "user", uuid: "p", timestamp: "t", content: [{ type: "text", text: "Go." }] };
  const run = query({
    state: createState({ messages: [prompt], model: "mine" }),
    config: plainConfig("Be brief."),
    ports: plainPorts({ model, tools, clock, ids: createIds() }, own),
    cancel,
  });
  const results: string[] = [];
  let step: IteratorResult<unknown, Terminal>;
  for (step = await run.next(); step.done !== true; step = await run.next()) {
    const event = step.value as Message;
    if (event.type === "user")
      for (const block of event.content) if (block.type === "tool_result") results.push(contentText(block.content));
  }
  return { terminal: step.value, results, calls };
}

const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
const described = { description: "", inputSchema: { ...schema, required: ["text"] } };
const look = plainTool<{ text: string }>({
  ...described,
  name: "look",
  readOnly: true,
  call: async ({ text }) => text.repeat(60_000),
});
const note = plainTool<{ text: string }>({ ...described, name: "note", call: async ({ text }) => `noted ${text}` });

function call(name: string, input: Record<string, unknown>): ToolUseBlock {
  return { type: "tool_use", id: `${name}-1`, name, input };
}

test("a call that does more than read is refused until a permission port allows it", async () => {
  const refused = await ran([call("note", { text: "a" })]);
  expect(refused).toMatchObject({ terminal: { reason: "completed" }, calls: 2 });
  expect(refused.results[0]).toContain("nobody was there to permit it");
  const permission = { decide: () => ({ behavior: "allow", reason: { type: "user" } }) as const };
  expect((await ran([call("note", { text: "a" })], [note], { permission })).results).toEqual(["noted a"]);
});

test("what has a uuid is the conversation, and the next turn goes on from it", async () => {
  const asked: number[] = [];
  const model = plainModel(async function* ({ messages }): AsyncGenerator<ModelEvent, ModelOutcome> {
    asked.push(messages.length);
    const isFirst = asked.length === 1;
    const block = isFirst ? call("note", { text: "a" }) : { type: "text" as const, text: "Done." };
    yield { type: "start", messageId: `m${asked.length}`, usage };
    yield { type: "block", index: 0, block };
    return { ok: true, stopReason: isFirst ? "tool_use" : "end_turn", usage };
  });
  const ids = createIds();
  const messages: Message[] = [];
  const events = new Set<string>();
  for (const text of ["Go.", "And?"]) {
    messages.push({ type: "user", uuid: ids.uuid(), timestamp: "t", content: [{ type: "text", text }] });
    const ports = plainPorts({ model, tools: [note], clock, ids });
    const state = createState({ messages: [...messages], model: "mine" });
    const run = query({ state, config: plainConfig("Be brief."), ports });
    for (let step = await run.next(); step.done !== true; step = await run.next())
      if ("uuid" in step.value) messages.push(step.value);
      else events.add(step.value.type);
  }
  expect(asked).toEqual([1, 3, 5]);
  expect(messages.map(({ type }) => type).filter((type) => ["user", "assistant"].includes(type))).toEqual(
    "user assistant user assistant user assistant".split(" "),
  );
  expect([...events]).toEqual(["stream_request_start", "permission_denied"]);
});

test("an input without a required field is refused, and a result that is too long is cut", async () => {
  expect((await ran([call("look", {})])).results[0]).toContain("text must be there");
  const [long] = (await ran([call("look", { text: "a" })])).results;
  expect(long).toHaveLength(50_000 + "\n[10000 characters were left out.]".length);
});

test("a failed request is retried up to four times", async () => {
  expect(await ran([overloaded, overloaded, "Yes."])).toMatchObject({ terminal: { reason: "completed" }, calls: 3 });
  const failing = await ran(Array.from({ length: 9 }, () => overloaded));
  expect(failing).toMatchObject({ terminal: { reason: "model_error", error: { kind: "overloaded" } }, calls: 5 });
});

test("a model that throws, or returns no outcome, ends the turn with a sentence that says so", async () => {
  const message = "The model adapter failed unexpectedly: its stream ended without an outcome";
  for (const ending of [undefined, null, "Done.", {}]) {
    const silent = plainModel(async function* () {
      yield* [];
      return ending;
    } as never);
    expect((await ran([], [note], { model: silent })).terminal).toMatchObject({
      reason: "model_error",
      error: { message },
    });
  }
  const cancel = createCancel();
  const aborted = plainModel(async function* () {
    yield* [];
    cancel.cancel("user");
  } as never);
  expect((await ran([], [note], { model: aborted }, cancel)).terminal).toMatchObject({ reason: "aborted_streaming" });
  const throwing = plainModel(async function* () {
    yield* [];
    throw new Error("socket hang up");
  } as never);
  expect((await ran([], [note], { model: throwing })).terminal).toMatchObject({
    error: { message: "The model adapter failed unexpectedly: socket hang up" },
  });
});

test("an answer that its reader left is paid for, even if its model then returns no outcome", async () => {
  const model = plainModel(async function* () {
    yield { type: "start", messageId: "m", usage };
    yield { type: "block", index: 0, block: { type: "text", text: "Well" } };
  } as never);
  const settled: Settlement[] = [];
  const { budget, ...others } = plainPorts({ model, tools: [], clock, ids: createIds() });
  const settle: typeof budget.settle = (ticket, settlement) => {
    settled.push(settlement);
    return budget.settle(ticket, settlement);
  };
  const run = query({
    state: createState({ messages: [], model: "mine" }),
    config: plainConfig("Be brief."),
    ports: { ...others, budget: { ...budget, settle } },
    cancel: createCancel(),
  });
  for await (const event of run) if (event.type === "assistant") break;
  expect(settled).toEqual([{ usage, final: false }]);
});

test("a port or option that is undefined counts as absent", async () => {
  const unsaid = { permission: undefined, transcript: undefined, context: undefined, hooks: undefined } as object;
  const { terminal, results } = await ran([call("note", { text: "a" })], [note], unsaid);
  expect(terminal).toEqual({ reason: "completed" });
  expect(results[0]).toContain("nobody was there to permit it");
  const more = { fallbackModels: undefined, thinking: undefined } as object;
  expect(plainConfig("Be brief.", more)).toEqual(plainConfig("Be brief."));
  const models = [{}, { contextWindow: undefined } as object].map((info) =>
    plainModel(async function* () {} as never, info),
  );
  expect(models[1]?.info("mine")).toEqual(models[0]?.info("mine"));
});

test("a cancellation that is passed in ends the run", async () => {
  const cancel = createCancel();
  cancel.cancel("user");
  expect(await ran(["never"], [look], {}, cancel)).toMatchObject({
    terminal: { reason: "aborted_streaming" },
    calls: 0,
  });
});

test.each([7, {}, { behavior: "perhaps" }, null, undefined])(
  "a permission port that answers %j permits nothing",
  async (answer) => {
    const { terminal, results } = await ran([call("note", { text: "x" })], [note], {
      permission: { decide: () => answer as never },
    });
    expect(terminal).toEqual({ reason: "completed" });
    expect(results).toEqual([expect.stringContaining("it answered neither allow nor deny")]);
  },
);

test("a model failure with an unknown recovery ends the run without throwing", async () => {
  const { terminal } = await ran([{ kind: "server_error", message: "down", recovery: "someday" as never }]);
  expect(terminal).toMatchObject({ reason: "model_error", error: { kind: "server_error", message: "down" } });
});

test("a tool may return text, blocks or a whole result", async () => {
  const blocks = [{ type: "text" as const, text: "a" }];
  for (const answer of ["a", blocks, { content: blocks }]) {
    const tool = plainTool({ ...described, name: "look", readOnly: true, call: async () => answer });
    expect((await ran([call("look", { text: "x" })], [tool])).results).toEqual(["a"]);
  }
});

test.each([
  [[{ type: "text" }]],
  [[{ type: "image" }]],
  [[{ type: "video", text: "x" }]],
  [[null]],
  [{ content: "x", followUp: [{ type: "text" }] }],
])("a tool that returns %j gets an error result, and the run goes on", async (answer) => {
  const odd = plainTool({ ...described, name: "look", readOnly: true, call: async () => answer as never });
  const { terminal, results } = await ran([call("look", { text: "x" })], [odd]);
  expect(results).toEqual([expect.stringContaining("look returned something that is not a tool result")]);
  expect(terminal).toEqual({ reason: "completed" });
});
