// What lies on disk is data: a record of which one field is not what it says is left out, whatever kind it is.
import { expect, test } from "vitest";
import { parseRecord } from "../../src/transcript/parse.ts";

const usage = { inputTokens: 1, outputTokens: 1, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
const more = {
  cacheCreation5mInputTokens: 1,
  webSearchRequests: 1,
  webFetchRequests: 1,
  thinkingTokens: 1,
  serviceTier: "standard",
};
const words = { type: "user", uuid: "in", timestamp: "t", content: [{ type: "text", text: "a" }] };
const base64 = { type: "base64", data: "aa" };
const user = (...content: object[]) => ({ type: "user", origin: "human", content });
const attached = (attachment: object) => ({ type: "attachment", attachment });

/** Messages, every field of which is looked at. */
const messages: Record<string, object> = {
  text: { ...user({ type: "text", text: "a" }), isMeta: true, isCompactSummary: true, deferred: true },
  picture: user({ type: "image", source: { ...base64, media_type: "image/png" } }),
  "linked picture": user({ type: "image", source: { type: "url", url: "https://a/b" } }),
  "picture of the provider's": user({ type: "image", source: { type: "file", file_id: "f" } }),
  paper: user({ type: "document", title: "a", context: "b", source: { ...base64, media_type: "application/pdf" } }),
  "paper of text": user({ type: "document", source: { type: "text", data: "a", media_type: "text/plain" } }),
  result: user({ type: "tool_result", tool_use_id: "c", is_error: true, content: [{ type: "text", text: "a" }] }),
  "signed summary": { ...user({ type: "text", text: "a" }), compactionBlock: { type: "compaction" } },
  answer: {
    type: "assistant",
    messageId: "m",
    model: "x",
    requestId: "r",
    aborted: true,
    apiError: { kind: "server_error" },
    content: [
      { type: "thinking", thinking: "a", signature: "s" },
      { type: "redacted_thinking", data: "a" },
      { type: "text", text: "a", citations: [] },
      { type: "tool_use", id: "c", name: "Read", input: {} },
      { type: "opaque", wire: { type: "server_tool_use" } },
    ],
  },
  end: {
    type: "response_end",
    messageId: "m",
    model: "x",
    stopReason: "end_turn",
    costUsd: 1,
    usage: { ...usage, ...more },
  },
  boundary: {
    type: "compact_boundary",
    trigger: "auto",
    preTokens: 2,
    postTokens: 1,
    lastSummarizedUuid: "u",
    messages: [],
  },
  snip: {
    type: "snip_boundary",
    fromUuid: "a",
    toUuid: "b",
    by: "user",
    reason: "r",
    savedTokens: 1,
    counted: { responseEnd: "e", tokens: 1 },
  },
  cleared: {
    type: "results_cleared",
    why: "money",
    cleared: [{ toolUseId: "c", marker: "m" }],
    savedTokens: 1,
    counted: { responseEnd: "e", tokens: 1 },
    expectedRequests: 1,
    netUsd: 1,
  },
  collapse: {
    type: "collapse_commit",
    targets: ["a"],
    messages: [words],
    preTokens: 2,
    postTokens: 1,
    counted: { responseEnd: "e", tokens: 1 },
  },
  stripped: { type: "thinking_stripped", reason: "rejected" },
  queued: attached({ kind: "queued_command", sourceUuid: "q", prompt: [{ type: "text", text: "a" }] }),
  changed: attached({ kind: "file_changed", path: "/a", snippet: "a" }),
  context: attached({ kind: "hook_context", event: "Stop", text: "a", toolUseId: "c" }),
  limit: attached({ kind: "max_turns_reached", maxTurns: 1, turnCount: 2 }),
  stopped: attached({ kind: "hook_stopped_continuation", event: "Stop", message: "a" }),
  reminder: attached({ kind: "reminder", name: "todo", text: "a", mail: { id: "1", kind: "message", from: "a" } }),
  notice: { type: "notice", level: "info", name: "n", text: "a", data: {} },
  transition: { type: "transition", transition: { reason: "next_turn" }, turnCount: 1 },
  tombstone: { type: "tombstone", targets: ["a"], reason: "retry" },
};

const facts: Record<string, object> = {
  session: { createdAt: "t", cwd: "/", model: "m", source: "startup", agentType: "a", toolUseId: "c", forkedFrom: {} },
  title: { title: "a" },
  tag: { tag: "a" },
  archived: { archived: true },
  model: { model: "m" },
  permission_mode: { mode: "plan" },
  agent: { agent: "a" },
  tool_started: { toolUseId: "c" },
  run: {
    at: "begin",
    model: "m",
    agentId: "a",
    limits: { turns: 1 },
    fallbackModels: ["x"],
    thinking: { type: "auto" },
    maxOutputTokens: 5,
  },
  tree_snapshot: { mark: 1, messageUuid: "m" },
  file_change: { messageUuid: "m", path: "/a/b/c", hash: "0".repeat(64), mode: 0o644, madeFolder: "/a/b" },
};

function whyNot(type: string, part: object): string | null {
  const envelope = {
    v: 1,
    seq: 0,
    uuid: "u",
    parentUuid: null,
    sessionId: "s",
    timestamp: "t",
    cwd: "/",
    version: "1",
  };
  const parsed = parseRecord(Buffer.from(JSON.stringify({ ...envelope, type, ...part })));
  return parsed.ok ? null : parsed.why;
}

const message = (value: object) =>
  whyNot((value as { type: string }).type, { message: { ...value, uuid: "u", timestamp: "t" } });

/** The value with something else at each of its places in turn, and where that was. */
function* spoiled(value: unknown, path = ""): Generator<[string, unknown]> {
  const odd = typeof value === "object" ? 7 : { odd: 1 };
  if (path !== "") yield [path, odd];
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value))
    for (const [place, change] of spoiled(inner, `${path}/${key}`))
      yield [place, Array.isArray(value) ? value.with(Number(key), change) : { ...value, [key]: change }];
}

test.each(Object.entries(messages))(
  "a message record is rejected if any one field has a wrong type: %s",
  (_, whole) => {
    expect(message(whole)).toBeNull();
    // Another type is another message, which lacks all else.
    for (const [place, change] of spoiled(whole))
      if (place !== "/type") expect(message(change as object), place).not.toBeNull();
  },
);

test.each(Object.entries(facts))("a fact record is rejected if any one field has a wrong type: %s", (type, whole) => {
  expect(whyNot(type, { data: whole })).toBeNull();
  for (const [place, change] of spoiled(whole)) expect(whyNot(type, { data: change }), place).not.toBeNull();
});

/** The value with nothing, or null, at each of its places in turn. */
function* lacking(value: unknown): Generator<unknown> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value))
    for (const change of [undefined, null, ...lacking(inner)])
      yield Array.isArray(value) ? value.with(Number(key), change) : { ...value, [key]: change };
}

test("checking never throws, whichever field of a record is missing or null", () => {
  const holders = [...Object.values(messages), { ...messages["boundary"], messages: Object.values(messages) }];
  for (const whole of holders)
    for (const change of lacking(whole)) expect(() => message(change as object)).not.toThrow();
  const runs = [
    { at: "failure", failure: {} },
    { at: "end", terminal: { reason: "model_error", error: {} } },
  ];
  for (const [type, whole] of [...Object.entries(facts), ...runs.map((run) => ["run", run] as const)])
    for (const change of [undefined, null, ...lacking(whole)])
      expect(() => whyNot(type, { data: change })).not.toThrow();
  for (const envelope of lacking({ ...facts, v: 1, uuid: "u", sessionId: "s", message: {} }))
    expect(() => whyNot("user", envelope as object)).not.toThrow();
});

test("fields that become paths, costs or tool calls are checked strictly", () => {
  const change = (part: object) => whyNot("file_change", { data: { ...facts["file_change"], ...part } });
  expect(change({ hash: null, notKept: "too_large" })).toBeNull();
  for (const part of [
    { path: "a/b" },
    { path: "/a/../b" },
    { hash: "../../etc/passwd" },
    { hash: "A".repeat(64) },
    { notKept: "too_large" },
    { hash: null, notKept: "because" },
    { mode: 0o10000 },
    { mode: 1.5 },
    { madeFolder: "/a/b/c" },
    { madeFolder: "/x" },
  ])
    expect(change(part), JSON.stringify(part)).not.toBeNull();
  expect(message(user({ type: "tool_use", id: "c", name: "Read", input: {} }))).not.toBeNull();
  expect(
    message({ ...messages["answer"], content: [{ type: "tool_result", tool_use_id: "c", content: "a" }] }),
  ).not.toBeNull();
  expect(message({ ...messages["cleared"], cleared: [{ toolUseId: "c", marker: " " }] })).not.toBeNull();
  expect(message({ ...messages["end"], costUsd: -1 })).not.toBeNull();
  expect(whyNot("notice", { message: { ...messages["notice"], uuid: "other", timestamp: "t" } })).not.toBeNull();
  expect(whyNot("tag", { data: { tag: null } })).toBeNull();
});

test("a line whose version or media type is an object without a text form is rejected", () => {
  const odd = { toString: 1, valueOf: 1 };
  expect(parseRecord(Buffer.from(JSON.stringify({ v: odd })))).toMatchObject({ ok: false });
  const picture = user({ type: "image", source: { ...base64, media_type: odd } });
  const envelope = {
    v: 1,
    seq: 0,
    uuid: "u",
    parentUuid: null,
    sessionId: "s",
    timestamp: "t",
    cwd: "/",
    version: "1",
  };
  const line = { ...envelope, type: "user", message: { ...picture, uuid: "u", timestamp: "t" } };
  expect(parseRecord(Buffer.from(JSON.stringify(line)))).toMatchObject({ ok: false });
});
