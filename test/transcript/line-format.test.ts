// What programs of others find in a transcript, and that reading it back adds none of those fields to a message.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Message, Usage } from "../../src/protocol/index.ts";
import { readSession, subagentPath } from "../../src/transcript/index.ts";
import { forkSession } from "../../src/transcript/fork.ts";
import { appendAll, assistant, boundary, clock, open, responseEnd, result, sessionId, use, user } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

type Line = Record<string, unknown> & { message: Record<string, unknown> };

const linesOf = (path: string): Line[] =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
const of = (path: string, uuid: string): Line => linesOf(path).find((line) => line["uuid"] === uuid)!;

const soFar: Usage = { inputTokens: 3, outputTokens: 1, cacheCreationInputTokens: 20, cacheReadInputTokens: 100 };
const wire = { input_tokens: 3, output_tokens: 1, cache_creation_input_tokens: 20, cache_read_input_tokens: 100 };

test("a prompt line has a role, and plain text as a string; other content is a list of blocks", () => {
  const transcript = open(temporaryFolder());
  transcript.append(user("p", "Fix the parser."));
  const picture = { type: "image", source: { type: "url", url: "https://example.org/a.png" } } as const;
  transcript.append(user("q", [{ type: "text", text: "Like this:" }, picture]));
  expect(of(transcript.path, "p").message).toMatchObject({ role: "user", content: "Fix the parser." });
  expect(of(transcript.path, "q").message["content"]).toEqual([{ type: "text", text: "Like this:" }, picture]);
  // A viewer that does not know isMeta takes the first string for what the session is about.
  const reminder = { type: "text", text: "<system-reminder>\nToday\n</system-reminder>" } as const;
  transcript.append(user("c", reminder.text, { isMeta: true, origin: "context" }));
  expect(of(transcript.path, "c").message["content"]).toEqual([reminder]);
});

test("the line of a message that is not a prompt has isMeta, isCompactSummary or toolUseResult beside it", () => {
  const transcript = open(temporaryFolder());
  transcript.append(user("m", "Stop hook feedback:\nmore", { isMeta: true, origin: "stop_hook" }));
  transcript.append(user("s", "In short.", { isCompactSummary: true }));
  const output = { oldTodos: [], newTodos: [{ content: "a", status: "pending" }] };
  transcript.append({ ...result("r", "toolu_1"), toolUseResult: output });
  expect(of(transcript.path, "m")).toMatchObject({ isMeta: true, isSidechain: false });
  expect(of(transcript.path, "s")).toMatchObject({ isCompactSummary: true });
  expect(of(transcript.path, "r")).toMatchObject({ toolUseResult: output });
});

test("an answer's line has the role, the answer's id and its initial usage", () => {
  const transcript = open(temporaryFolder());
  const message = { ...assistant("a", "msg_1", [{ type: "text", text: "Hello." }]), requestId: "req_1" };
  transcript.append(message, soFar);
  transcript.append({
    ...assistant("e", "msg_2", [{ type: "text", text: "Overloaded." }]),
    apiError: { kind: "server_error" },
  });
  expect(of(transcript.path, "a")).toMatchObject({
    requestId: "req_1",
    message: { role: "assistant", id: "msg_1", model: message.model, content: message.content, usage: wire },
  });
  expect(of(transcript.path, "e")).toMatchObject({ isApiErrorMessage: true });
  // A search for lines of the model, as shell scripts do it.
  const found = readFileSync(transcript.path, "utf8")
    .split("\n")
    .filter((line) => line.includes('"role":"assistant"'));
  expect(found).toHaveLength(2);
});

// Seen: two viewers with strict schemas showed a session without its prompts and answers.
test("prompts and answers have the fields without which a strict viewer shows neither, also in a copy", () => {
  const transcript = open(temporaryFolder());
  transcript.append(user("p", "Go."));
  const answer = assistant("a", "msg_1", [{ type: "text", text: "Hello." }]);
  transcript.append(answer, soFar);
  const { path } = forkSession(transcript.path, "22222222-2222-4333-8444-555555555555", { clock });
  for (const file of [transcript.path, path]) {
    const [prompt, reply] = linesOf(file).filter(({ type }) => type === "user" || type === "assistant");
    expect(prompt).toMatchObject({ userType: "external", message: { role: "user" } });
    expect(reply).toMatchObject({
      userType: "external",
      message: { type: "message", stop_reason: null, stop_sequence: null },
    });
  }
  expect(readSession(transcript.path).messages.at(-1)).toEqual(answer);
});

test("a copy of a session has the initial usage of an answer in the same form, and bills it", () => {
  const transcript = open(temporaryFolder());
  transcript.append(user("p", "Go."));
  transcript.append(assistant("a", "msg_1", [{ type: "text", text: "Hello." }]), soFar);
  const { path } = forkSession(transcript.path, "22222222-2222-4333-8444-555555555555", { clock });
  const line = linesOf(path).find(({ type }) => type === "assistant");
  expect(line).not.toHaveProperty("soFar");
  expect(line?.message).toMatchObject({ usage: wire });
  const { unbookedAnswers } = readSession(path);
  expect(unbookedAnswers).toHaveLength(1);
  expect(unbookedAnswers).toEqual(readSession(transcript.path).unbookedAnswers);
});

test("calls that were open when the ledger was written are billed once, with or without their own records", () => {
  const transcript = open(temporaryFolder());
  const calls = [{ model: "m", usage: soFar, messageId: "msg_1" }, { model: "m", usage: soFar }, { model: 1 }, null];
  transcript.appendMeta("ledger", { totalUsd: 1, byModel: {}, open: calls });
  const unbooked = () => readSession(transcript.path).unbookedAnswers;
  expect(unbooked()).toEqual([
    { model: "m", usage: soFar },
    { model: "m", usage: soFar },
  ]);
  transcript.append(assistant("a", "msg_1", [{ type: "text", text: "Hello." }]), soFar);
  expect(unbooked()).toHaveLength(2);
  const end = responseEnd("e", "msg_1");
  transcript.append(end);
  expect(unbooked()).toMatchObject([{ costUsd: end.costUsd }, { usage: soFar }]);
  transcript.appendMeta("ledger", { totalUsd: 2, byModel: {} });
  expect(unbooked()).toEqual([]);
});

test("calls that were open at a boundary are billed, though reading starts there", () => {
  const ledger = { totalUsd: 1, byModel: {}, open: [{ model: "m", usage: soFar }] };
  const transcript = open(temporaryFolder(), { snapshot: () => ({ ledger }) });
  appendAll(transcript, [user("p", "Go."), boundary("b", [user("s", "Summary.")])]);
  expect(readSession(transcript.path)).toMatchObject({ ledger, unbookedAnswers: [{ model: "m", usage: soFar }] });
});

test("the line that ends an answer has the whole usage under the wire's names, and no role", () => {
  const transcript = open(temporaryFolder());
  const end = responseEnd("e", "msg_1");
  transcript.append(end);
  const { message } = of(transcript.path, "e");
  expect(message).toMatchObject({ id: "msg_1", usage: { ...end.usage, input_tokens: 10, output_tokens: 5 } });
  expect(message).not.toHaveProperty("role");
});

const conversation = (): Message[] => [
  user("p", "Go."),
  user("m", "Meant for the model.", { isMeta: true }),
  { ...assistant("a", "msg_1", [{ type: "text", text: "I look." }]), requestId: "req_1" },
  assistant("b", "msg_1", [use("toolu_1")]),
  responseEnd("e", "msg_1"),
  { ...result("r", "toolu_1"), toolUseResult: { usage: { input_tokens: 1 }, role: "user" } },
];

// Seen: session functions of other SDKs lost all that was said before an answer that a retry had replaced.
test("following the parents through the conventional types gives the whole conversation, without answers that were taken back", () => {
  const transcript = open(temporaryFolder());
  const told = [
    ...conversation(),
    {
      type: "transition",
      uuid: "t",
      timestamp: "2026-01-01",
      transition: { reason: "next_turn" },
      turnCount: 2,
    } as const,
    assistant("x", "msg_lost", [{ type: "text", text: "Do" }]),
    { type: "tombstone" as const, uuid: "s", timestamp: "2026-01-01", targets: ["x"], reason: "retry" as const },
    assistant("c", "msg_2", [{ type: "text", text: "Done." }]),
    responseEnd("f", "msg_2"),
    user("q", "And now?"),
  ];
  for (const message of told) transcript.append(message);
  const known = new Map(
    linesOf(transcript.path)
      .filter(({ type }) => ["user", "assistant", "progress", "system", "attachment"].includes(String(type)))
      .map((line) => [line["uuid"], line]),
  );
  const chain: unknown[] = [];
  for (let at = known.get("q"); at !== undefined; at = known.get(at["parentUuid"])) chain.unshift(at["uuid"]);
  expect(chain).toEqual(told.map(({ uuid }) => uuid).filter((uuid) => uuid !== "x"));
  expect(of(transcript.path, "e")).toMatchObject({ type: "system", subtype: "response_end" });
  expect(readSession(transcript.path).messages).toEqual(told.filter(({ uuid }) => uuid !== "x" && uuid !== "s"));
});

test("types that only pawl has are also read from lines that name them directly, and no others from system lines", () => {
  const transcript = open(temporaryFolder());
  for (const message of conversation()) transcript.append(message);
  const text = readFileSync(transcript.path, "utf8");
  const older = text.replaceAll('"type":"system","subtype":"response_end"', '"type":"response_end"');
  expect(older).not.toBe(text);
  writeFileSync(transcript.path, older);
  expect(readSession(transcript.path).messages).toEqual(conversation());
  writeFileSync(transcript.path, text.replace('"type":"user"', '"type":"system","subtype":"user"'));
  expect(readSession(transcript.path).report.records).toBe(conversation().length);
});

test("a line stays one line for readers that also split at Unicode line separators", () => {
  const transcript = open(temporaryFolder());
  const message = user("p", "a\u2028b\u2029c\u0085d");
  transcript.append(message);
  expect(readFileSync(transcript.path, "utf8")).not.toMatch(/[\u0085\u2028\u2029]/u);
  expect(readSession(transcript.path).messages).toEqual([message]);
});

test.each([
  [
    { type: "custom-title", customTitle: "Birds" },
    { title: "Birds", tag: "own" },
  ],
  [
    { type: "tag", tag: "grey", uuid: "u", timestamp: "t" },
    { title: "Own", tag: "grey" },
  ],
  [
    { type: "tag", tag: "" },
    { title: "Own", tag: null },
  ],
])("a title or tag that a client added counts as the newest: %j", (entry, expected) => {
  const transcript = open(temporaryFolder());
  transcript.append(user("p", "Go."));
  transcript.appendMeta("title", { title: "Own" });
  transcript.appendMeta("tag", { tag: "own" });
  transcript.close();
  appendFileSync(transcript.path, `${JSON.stringify({ ...entry, sessionId })}\n`);
  const read = readSession(transcript.path);
  expect([{ title: read.title, tag: read.tag }, read.report.badLines]).toEqual([expected, 0]);
});

test("messages are read back as they were recorded, and a copy has the same form", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  for (const message of conversation()) transcript.append(message, soFar);
  transcript.close();
  expect(readSession(transcript.path).messages).toEqual(conversation());
  const { path } = forkSession(transcript.path, sessionId.replaceAll("1", "9"), { clock });
  expect(linesOf(path).map(({ type, subtype }) => [type, subtype])).toContainEqual(["system", "response_end"]);
  const copied = linesOf(path).filter((line) => line["type"] === "user" || line["type"] === "assistant");
  expect(copied.map(({ message }) => message["role"])).toEqual(["user", "user", "assistant", "assistant", "user"]);
  expect(copied[0]?.message["content"]).toBe("Go.");
  expect(copied.at(-1)?.["toolUseResult"]).toEqual({ usage: { input_tokens: 1 }, role: "user" });
  const strip = (messages: readonly Message[]) => messages.map((message) => ({ ...message, uuid: "" }));
  expect(strip(readSession(path).messages)).toEqual(strip(conversation()));
});

test("lines that hold messages in pawl's own form are read as well", () => {
  const transcript = open(temporaryFolder());
  for (const message of conversation()) transcript.append(message);
  transcript.close();
  const [first, ...lines] = linesOf(transcript.path);
  const plain = lines.map((line, at) => ({ ...line, message: conversation()[at], toolUseResult: undefined }));
  writeFileSync(transcript.path, [first, ...plain].map((line) => `${JSON.stringify(line)}\n`).join(""));
  expect(readSession(transcript.path).messages).toEqual(conversation());
});

test("the lines of an agent's conversation are marked with its id", () => {
  const session = open(temporaryFolder());
  const path = subagentPath(session.path, "a1b2");
  const transcript = open("", { path });
  transcript.append(user("p", "Look."));
  for (const line of linesOf(path)) expect(line).toMatchObject({ isSidechain: true, agentId: "a1b2" });
});

// Seen: getSubagentMessages of the SDK for TypeScript returned nothing before the last answer.
test("in an agent's transcript the parent chain leads only through types that other readers of such transcripts follow", () => {
  const main = open(temporaryFolder());
  main.append(user("m", "Start."));
  const path = subagentPath(main.path, "a1");
  const transcript = open("", { path, sessionId, cwd: "/p" });
  const call = { type: "tool_use" as const, id: "toolu_1", name: "Glob", input: {} };
  const lost = assistant("x", "msg_0", [{ type: "text", text: "I" }]);
  const tombstone = { type: "tombstone" as const, uuid: "s", timestamp: "", targets: ["x"], reason: "retry" as const };
  appendAll(transcript, [
    user("p", "Look."),
    lost,
    tombstone,
    assistant("a", "msg_1", [call]),
    responseEnd("e", "msg_1"),
  ]);
  appendAll(transcript, [result("r", "toolu_1"), assistant("b", "msg_2", [{ type: "text", text: "Done." }])]);
  const copy = forkSession(main.path, "22222222-2222-4333-8444-555555555555", { clock });
  for (const file of [path, subagentPath(copy.path, "a1")]) {
    const followed = linesOf(file).filter(({ type }) => ["user", "assistant", "attachment"].includes(String(type)));
    const chain: unknown[] = [];
    for (let line = followed.at(-1); line !== undefined;) {
      chain.unshift(line["type"] === "attachment" ? line["message"]["type"] : line["type"]);
      const { parentUuid } = line;
      line = followed.find(({ uuid }) => uuid === parentUuid);
    }
    const told = ["assistant", "response_end", "user", "assistant"];
    expect(chain).toEqual(["user", "tombstone", ...told]);
    expect(readSession(file).messages.map(({ type }) => type)).toEqual(["user", ...told]);
  }
});
