// Summaries the API signs: the conversation afterwards, and what happens if there is none.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CompactBoundaryMessage, FitResult, Message, UserMessage } from "../../src/protocol/index.ts";
import {
  assistant,
  conversation,
  drive,
  end,
  fixture,
  inputOf,
  modelInfo,
  readLoop,
  requestProblems,
  thinking,
  use,
  user,
  type FixtureOptions,
} from "./support.ts";

const never = new AbortController().signal;
const signing = { ...modelInfo, compaction: true };
const block = { type: "compaction", content: "They looked.", signature: "c2ln", extra: [1] };
const signed = { block: { type: "opaque" as const, wire: block }, stopReason: "compaction" };
const full = (): Message[] => [
  ...readLoop(100, 3_000),
  assistant("z", "mz", [{ type: "text", text: "done" }]),
  end("ze", "mz", 84_000, 0),
  user("q", "go on"),
];

async function fit(messages: readonly Message[], options: FixtureOptions) {
  const made = fixture(options);
  const { value, events } = await drive(made.context.fit(inputOf(messages, { model: signing }), never));
  if (value.kind !== "ready") throw new Error("full");
  return {
    ...made,
    value,
    events,
    boundary: boundaryIn(value),
    api: made.deps.toApi(value.messages, { model: signing }),
  };
}

function boundaryIn({ records }: Extract<FitResult, { kind: "ready" }>): CompactBoundaryMessage {
  const boundary = records[0];
  if (boundary?.type !== "compact_boundary") throw new Error("no boundary");
  return boundary;
}

test("the signed block comes first, then the tail with its thinking, then memory and the first prompt", async () => {
  const messages = full();
  const { value, requests, api } = await fit(messages, { says: [signed] });
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({ compaction: {}, querySource: "compaction", model: signing.id });
  const first = value.messages[0] as UserMessage;
  expect(first).toMatchObject({ isCompactSummary: true, compactionBlock: block });
  expect(JSON.stringify(first.content)).toContain("They looked.");
  const tail = value.messages.filter((message) => messages.includes(message));
  expect(value.messages.slice(1, tail.length)).toEqual(tail.slice(0, -1));
  expect(value.messages.some((message) => message.type === "thinking_stripped")).toBe(false);
  expect(api.messages[0]!.content[0]).toEqual({ type: "opaque", wire: block });
  expect(JSON.stringify(api.messages)).toContain('"type":"thinking"');
  const last = JSON.stringify(api.messages.at(-1));
  for (const kept of ["go on", "memory", "<first_user_message>"]) expect(last).toContain(kept);
  expect(requestProblems(value.messages)).toEqual([]);
});

test("the request for the summary contains exactly what the block replaces", async () => {
  const messages = full();
  const { requests, deps, value } = await fit(messages, { says: [signed] });
  const sent = requests[0]!.messages;
  const whole = deps.toApi(messages, { model: signing }).messages;
  expect(JSON.stringify(sent)).toBe(JSON.stringify(whole.slice(0, sent.length)));
  const kept = deps.toApi(value.messages, { model: { ...signing, compaction: false } }).messages;
  expect(JSON.stringify(kept)).toContain(JSON.stringify(whole[sent.length]!.content[0]));
});

test("the cut never falls inside what the API joins into one message", async () => {
  await fc.assert(
    fc.asyncProperty(conversation, async (messages) => {
      const { context, requests, deps } = fixture({ says: [signed], policy: { minimumShrink: 0.01 } });
      const input = inputOf(messages, { model: { ...signing, contextWindow: 3_000 }, maxTokens: 500, fixedTokens: 10 });
      const { value } = await drive(context.fit(input, never));
      const sent = requests[0]?.compaction === undefined ? undefined : requests[0].messages;
      if (sent === undefined || value.kind !== "ready" || value.records.length === 0) return;
      const api = deps.toApi(value.messages, { model: signing }).messages;
      const next = api[0]!.content.length > 1 ? "assistant" : api[1]?.role;
      const isKept = value.messages[1] !== undefined && messages.includes(value.messages[1]);
      if (isKept) expect(next).not.toBe(sent.at(-1)!.role);
    }),
    { numRuns: 300 },
  );
});

test("another compaction summarises the block with what followed, and keeps memory and the first prompt", async () => {
  const once = await fit(full(), { says: [signed] });
  const again = [...once.value.messages, ...readLoop(100, 3_000, "A later prompt").slice(1)];
  const longer = [
    ...again,
    assistant("y", "my", [{ type: "text", text: "done" }]),
    end("ye", "my", 84_000, 0),
    user("q2", "on"),
  ];
  const { requests, value, api } = await fit(longer, {
    says: [{ ...signed, block: { type: "opaque", wire: { ...block, content: "More." } } }],
  });
  expect(requests[0]!.messages[0]!.content[0]).toEqual({ type: "opaque", wire: block });
  expect(
    value.messages.filter((message) => message.type === "user" && message.compactionBlock !== undefined),
  ).toHaveLength(1);
  const last = JSON.stringify(api.messages.at(-1));
  expect(last).toContain("memory");
  expect(last).toContain("Find the bug");
  expect(last).not.toContain("A later prompt");
});

test("an ordinary summary puts memory first again, and summarises the block's text", async () => {
  const once = await fit(full(), { says: [signed] });
  const longer = [...once.value.messages, ...readLoop(100, 3_000, "A later prompt").slice(1)];
  const { context, requests } = fixture({ says: ["Own words."] });
  const input = inputOf([
    ...longer,
    assistant("y", "my", [{ type: "text", text: "done" }]),
    end("ye", "my", 84_000, 0),
    user("q2", "on"),
  ]);
  const { value } = await drive(context.fit(input, never));
  if (value.kind !== "ready") throw new Error("full");
  expect(JSON.stringify(requests[0]!.messages[0])).toContain("They looked.");
  expect(value.messages[0]).toMatchObject({ origin: "context" });
  expect(JSON.stringify(value.messages[1])).toContain("Find the bug");
  expect(value.messages[2]).toMatchObject({ isCompactSummary: true });
});

test("a model that takes no block gets its text, without other models' thinking", async () => {
  const { value, deps } = await fit(full(), { says: [signed] });
  const api = deps.toApi(value.messages, { model: { ...signing, id: "other", compaction: false } }).messages;
  expect(api[0]!.role).toBe("user");
  expect(JSON.stringify(api[0])).toContain("They looked.");
  expect(JSON.stringify(api)).not.toContain('"type":"thinking"');
  expect(requestProblems(value.messages)).toEqual([]);
});

// Seen: after a fallback model's summary, the first model was sent thinking that it had written after the summary of another conversation.
test("another model's thinking in the tail is stripped for every model", async () => {
  const others = full().map((message) =>
    message.type === "assistant" && message.uuid.endsWith("99") ? { ...message, model: "other" } : message,
  );
  const { value, deps, api } = await fit(others, { says: [signed] });
  expect(value.messages[0]).toMatchObject({ compactionBlock: block });
  expect(value.messages.at(-1)).toMatchObject({ type: "thinking_stripped", reason: "rewritten" });
  const toOther = deps.toApi(value.messages, { model: { ...signing, id: "other" } });
  expect(JSON.stringify([api.messages, toOther.messages])).not.toContain('"type":"thinking"');
});

test("instructions of the user and of hooks are passed on, up to the API's limit", async () => {
  const { context, requests } = fixture({
    says: [signed],
    hooks: (input) => (input.hook_event_name === "PreCompact" ? { additionalContext: ["x".repeat(20_000)] } : {}),
  });
  const input = inputOf(full(), { model: signing });
  await drive(context.compactManually(input, { instructions: "Keep names." }, never));
  const { instructions } = requests[0]!.compaction!;
  expect(instructions).toContain("Keep names.");
  expect(instructions!.length).toBe(16_384);
});

describe("without a signed summary", () => {
  const fail = (status: number, more: object = {}) => ({ fail: { status, ...more } });
  const names = (events: readonly { type: string; name?: string }[]) => events.map(({ type, name }) => name ?? type);

  test.each([
    ["the parameter is refused", fail(400, { recovery: "summary", kind: "compaction_refused" })],
    ["the path is unknown", fail(404, { recovery: "fallback", kind: "model_not_found" })],
    ["the server ignores the request for a summary", { text: "Let me go on.", stopReason: "end_turn" }],
  ])("because %s, an ordinary summary is made and no signed one is requested again", async (_name, said) => {
    const messages = full();
    const { context, requests } = fixture({ says: [said, "Own one.", "Own two."] });
    const input = inputOf(messages, { model: signing });
    const { value, events } = await drive(context.fit(input, never));
    expect(names(events)).toContain("signed_summary_refused");
    if (value.kind !== "ready") throw new Error("full");
    expect(JSON.stringify(value.messages)).toContain("Own one.");
    expect(value.messages.some((message) => message.type === "thinking_stripped")).toBe(true);
    await drive(context.fit({ ...input, turnCount: 2 }, never));
    expect(requests.map(({ compaction }) => compaction !== undefined)).toEqual([true, false, false]);
  });

  test.each([
    ["the signed summary is cut at max_tokens", { text: "", stopReason: "max_tokens" }],
    ["the model refuses", { text: "", stopReason: "refusal" }],
    ["the server is at fault", fail(500, { recovery: "none" })],
    ["the server asks for too long a wait", fail(529, { recovery: "retry", retryAfterMs: 30_001 })],
  ])("because %s, an ordinary summary is made only this time", async (_name, said) => {
    const { context, requests } = fixture({ says: [said, "Own one.", signed] });
    const input = inputOf(full(), { model: signing });
    const { events } = await drive(context.fit(input, never));
    expect(names(events)).not.toContain("signed_summary_refused");
    await drive(context.fit({ ...input, turnCount: 2 }, never));
    expect(requests.map(({ compaction }) => compaction !== undefined)).toEqual([true, false, true]);
  });

  test("because the server is busy, it is requested again a limited number of times", async () => {
    const busy = fail(529, { recovery: "retry", kind: "overloaded", retryAfterMs: 10 });
    const { context, requests, timers } = fixture({ says: [busy, busy, busy, "Own."] });
    const run = context.fit(inputOf(full(), { model: signing }), never);
    for (let step = run.next(); ; step = run.next()) {
      let isDone = false;
      const settled = step.finally(() => (isDone = true));
      for (let turns = 0; turns < 50 && !isDone; turns++) {
        await Promise.resolve();
        timers.find(({ ms }) => ms === 10)?.fire();
      }
      if ((await settled).done === true) break;
    }
    expect(requests.map(({ compaction }) => compaction !== undefined)).toEqual([true, true, true, false]);
  });

  test("because the budget refuses it, nothing else is requested", async () => {
    const { context, requests } = fixture({ refuseBudget: true });
    const { value } = await drive(context.fit(inputOf(full(), { model: signing }), never));
    expect(requests).toEqual([]);
    expect(value).toMatchObject({ kind: "ready", records: [] });
  });

  test("because of the policy or the model, none is requested", async () => {
    const off = fixture({ policy: { signedSummaries: false } });
    await drive(off.context.fit(inputOf(full(), { model: signing }), never));
    const without = fixture({});
    await drive(without.context.fit(inputOf(full()), never));
    for (const { requests } of [off, without])
      expect(requests.map(({ compaction }) => compaction)).toEqual([undefined]);
  });

  test("because even a conversation without its tail is too long, none is requested", async () => {
    const messages = [...readLoop(60, 3_000), user("q", "go on")];
    const { context, requests } = fixture({ says: ["Own."] });
    const input = inputOf(messages, { model: { ...signing, contextWindow: 20_000 } });
    await drive(context.compactReactively({ ...input, media: false, actualTokens: 60_000 }, never));
    expect(requests[0]!.compaction).toBeUndefined();
  });
});

test("a refused block is replaced by its text, once, and the thinking after it is left out", async () => {
  const { value, context, deps } = await fit(full(), { says: [signed] });
  const plain = context.plainSummary!(value.messages, signing)!;
  expect(plain.messages[0]).toMatchObject({ isCompactSummary: true });
  expect(plain.messages[0]).not.toHaveProperty("compactionBlock");
  expect(plain.records).toMatchObject([{ type: "compact_boundary" }]);
  expect((plain.records[0] as CompactBoundaryMessage).messages).toEqual(plain.messages);
  const api = deps.toApi(plain.messages, { model: signing }).messages;
  expect(JSON.stringify(api)).not.toContain('"type":"thinking"');
  expect(requestProblems(plain.messages)).toEqual([]);
  expect(context.plainSummary!(plain.messages, signing)).toBeUndefined();
});

test("a conversation of calls only, cut in the middle of a turn, keeps each call with its result", async () => {
  const messages = [user("p", "go")];
  const loop: Message[] = [...messages];
  for (let turn = 0; turn < 50; turn++)
    loop.push(
      assistant(`a${turn}`, `m${turn}`, [thinking("t"), use(`c${turn}`)]),
      user(`r${turn}`, [{ type: "tool_result", tool_use_id: `c${turn}`, content: "x y z ".repeat(1_000) }]),
    );
  loop.push(end("e", "m49", 84_000, 0));
  const { requests, api } = await fit(loop, { says: [signed] });
  expect(requests[0]!.messages.at(-1)!.role).toBe("user");
  expect(api.messages[0]!.role).toBe("assistant");
  expect(api.messages[0]!.content.map(({ type }) => type)).toEqual(["opaque", "thinking", "tool_use"]);
});

test("a conversation that is only a signed summary is not summarised again", async () => {
  const summary = user("s", "words ".repeat(4_000), { isCompactSummary: true, isMeta: true, origin: "compaction" });
  const messages: Message[] = [
    { ...summary, compactionBlock: block },
    assistant("a", "m", [use("c")]),
    user("r", [{ type: "tool_result", tool_use_id: "c", content: "x y z ".repeat(100) }]),
    user("ctx", "memory", { isMeta: true, origin: "context" }),
  ];
  const { context, requests } = fixture();
  await drive(context.compactManually(inputOf(messages, { model: signing }), {}, never));
  expect(requests.filter(({ compaction }) => compaction !== undefined)).toEqual([]);
});

test("the cut does not fall after a response that was cut while thinking, because it is not sent", async () => {
  const messages: Message[] = [
    ...readLoop(100, 3_000),
    assistant("t", "mt", [thinking("hm")]),
    user("cont", "Go on exactly where it stops.", { isMeta: true, origin: "compaction" }),
    assistant("u", "mu", [thinking("so"), use("cu")]),
    user("ru", [{ type: "tool_result", tool_use_id: "cu", content: "x" }]),
    end("ue", "mu", 84_000, 0),
  ];
  const policy = { keepRecent: { tokens: 100, share: 1 } };
  const { requests, deps } = await fit(messages, { says: [signed], policy });
  const whole = deps.toApi(messages, { model: signing }).messages;
  const sent = requests[0]!.messages;
  expect(JSON.stringify(sent)).toBe(JSON.stringify(whole.slice(0, sent.length)));
});
