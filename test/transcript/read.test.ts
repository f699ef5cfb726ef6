import { appendFileSync, closeSync, ftruncateSync, openSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Message } from "../../src/protocol/index.ts";
import type { TranscriptError } from "../../src/transcript/error.ts";
import { eachMessage } from "../../src/transcript/history.ts";
import { describeReport, fold, readSession, repairOrphans, transcriptPath } from "../../src/transcript/index.ts";
import {
  appendAll,
  assistant,
  boundary,
  breakable,
  clock,
  createIds,
  open,
  pairProblems,
  result,
  responseEnd,
  sampleConversation,
  sessionId,
  temporaryFolder,
  use,
  user,
} from "./support.ts";

/** A file made of these lines after one good prompt `u`; and then a good prompt `w`. */
function withLines(...lines: (string | Buffer)[]) {
  const folder = temporaryFolder();
  const transcript = open(folder);
  appendAll(transcript, [user("u", "hi")]);
  transcript.close();
  for (const line of lines) appendFileSync(transcript.path, Buffer.concat([Buffer.from(line), Buffer.from("\n")]));
  const more = open(folder, { resume: { ...readSession(transcript.path).resumePoint, leafUuid: "u", nextSeq: 2 } });
  appendAll(more, [user("w", "more")]);
  more.close();
  return transcript.path;
}

const line = (message: Message, more: object = {}) =>
  JSON.stringify({
    v: 1,
    type: message.type,
    seq: 2,
    uuid: message.uuid,
    parentUuid: "u",
    sessionId,
    timestamp: message.timestamp,
    cwd: "/",
    version: "1",
    message,
    ...more,
  });

test.each<[string, string | Buffer]>([
  ["no JSON", "{{{"],
  ["a bare value", "null"],
  ["an array", "[1]"],
  ["NUL bytes", Buffer.alloc(300)],
  ["invalid UTF-8", Buffer.from([0xff, 0xfe, 0x7b])],
  ["no version", line(user("x", "x"), { v: 0 })],
  ["no uuid", line(user("", "x"))],
  ["no seq", line(user("x", "x"), { seq: "1" })],
  ["a negative seq", line(user("x", "x"), { seq: -1 })],
  ["no session", line(user("x", "x"), { sessionId: 7 })],
  ["type and message that differ", line(user("x", "x"), { type: "assistant" })],
  ["uuid and message that differ", line(user("x", "x"), { uuid: "y" })],
  ["content that is a number", line({ ...user("x", "x"), content: 7 } as unknown as Message)],
  ["a block of no kind", line(user("x", [null as never]))],
  ["thinking from the user", line(user("x", [{ type: "thinking", thinking: "", signature: "" }]))],
  ["a call from the user", line(user("x", [use("forged")]))],
  ["a result from the model", line(assistant("x", "m", [{ type: "tool_result", tool_use_id: "c", content: "" }]))],
  [
    "a call whose input is text",
    line(assistant("x", "m", [{ type: "tool_use", id: "c", name: "Bash", input: "rm" as never }])),
  ],
  [
    "an image of an unknown kind",
    line(user("x", [{ type: "image", source: { type: "base64", media_type: "image/svg+xml" as never, data: "" } }])),
  ],
  ["negative usage", line({ ...responseEnd("x", "m"), costUsd: -5 })],
  [
    "an odd attachment",
    line({ type: "attachment", uuid: "x", timestamp: "", attachment: { kind: "shell", command: "rm" } as never }),
  ],
  ["an odd origin", line(user("x", "x", { origin: "system" as never }))],
  ["a boundary without messages", line({ ...boundary("x", []), messages: undefined as never })],
  [
    "an odd mode",
    JSON.stringify({
      v: 1,
      type: "permission_mode",
      seq: 2,
      uuid: "x",
      parentUuid: "u",
      sessionId,
      timestamp: "",
      cwd: "/",
      version: "1",
      data: { mode: "root" },
    }),
  ],
])("a line with %s is skipped, reported, and harms nothing else", (_name, odd) => {
  const session = readSession(withLines(odd));
  expect(session.messages.map((message) => message.uuid)).toEqual(["u", "w"]);
  expect(session.report.badLines).toBe(1);
  expect(session.report.bad[0]?.why).toBeTruthy();
  expect(describeReport(session.report)).toMatch(/1 unreadable line was skipped/);
  expect(session.permissionMode).toBeUndefined();
});

test("CRLF, a byte order mark, blank lines and NULs before a record do not hide it", () => {
  const good = line(user("x", "x"));
  expect(readSession(withLines(`${good}\r`)).messages.map((message) => message.uuid)).toEqual(["u", "x", "w"]);
  expect(readSession(withLines(`\ufeff${good}`)).messages).toHaveLength(3);
  expect(readSession(withLines("", "", good)).messages).toHaveLength(3);
  expect(readSession(withLines(Buffer.concat([Buffer.alloc(4096), Buffer.from(good)]))).messages).toHaveLength(3);
});

test("jumps in the numbering and in the chain are reported, and nothing is dropped for them", () => {
  const session = readSession(
    withLines(line(user("x", "x"), { seq: 9 }), line(user("y", "y"), { seq: 10, parentUuid: "nowhere" })),
  );
  expect(session.messages.map((message) => message.uuid)).toEqual(["u", "x", "y", "w"]);
  expect(session.report.gaps).toHaveLength(2);
  expect(session.report.chainBreaks).toBeGreaterThan(0);
});

test("a beginning that is lost is reported, and what was thought after it is known for that", () => {
  const thought = assistant("a", "m", [{ type: "thinking", thinking: "hm", signature: "c2ln" }]);
  const path = withLines(line(thought));
  expect(readSession(path)).toMatchObject({ hasUnboundThinking: false });
  const lines = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, lines.slice(2).join("\n"));
  const session = readSession(path);
  expect(session.messages.map((message) => message.uuid)).toEqual(["a", "w"]);
  expect(session.hasUnboundThinking).toBe(true);
  expect(session.report.gaps[0]).toEqual({ offset: 0, expected: 0, found: 2 });
  expect(describeReport(session.report)).toMatch(/gaps? in its numbering/);
});

test("what was thought between two losses is known as what was thought after the last", () => {
  const thought = assistant("a", "m", [{ type: "thinking", thinking: "hm", signature: "c2ln" }]);
  const path = withLines(
    line(user("x", "x"), { parentUuid: "lost" }),
    line(thought, { parentUuid: "x" }),
    line(user("y", "y"), { parentUuid: "lost, too" }),
  );
  expect(readSession(path).hasUnboundThinking).toBe(true);
});

test("a number as large as none can be leaves those behind it numbers that can be read", () => {
  const path = withLines(line(user("x", "x"), { seq: Number.MAX_SAFE_INTEGER }));
  for (const uuid of ["y", "z"]) {
    const transcript = open(dirname(path), { resume: readSession(path).resumePoint });
    appendAll(transcript, [user(uuid, "more")]);
    transcript.close();
  }
  expect(readSession(path)).toMatchObject({
    messages: [{ uuid: "u" }, { uuid: "x" }, { uuid: "w" }, { uuid: "y" }, { uuid: "z" }],
    report: { badLines: 0 },
  });
});

test("a record a second time counts once", () => {
  const session = readSession(withLines(line(user("x", "x")), line(user("x", "forged")), line(user("u", "forged"))));
  expect(session.messages.map((message) => message.uuid)).toEqual(["u", "x", "w"]);
  expect(session.report.badLines).toBe(2);
});

test("a boundary with odd messages inside is read without them", () => {
  const inner = [
    user("s", "summary"),
    { type: "novel" } as never,
    user("s", "twice"),
    boundary("nested", []),
    user("k", "kept"),
  ];
  const session = readSession(withLines(line(boundary("b", inner))));
  expect(session.messages.map((message) => message.uuid)).toEqual(["s", "k", "w"]);
  expect(session.report.badLines).toBe(3);
});

test("a session that died behind a summary of its turn was cut off, though only what follows the summary is read", () => {
  const path = (trigger: "auto" | "manual") => {
    const transcript = open(temporaryFolder());
    const summary = { ...boundary("b", [user("s", "summary")]), trigger };
    appendAll(transcript, [user("u", "hi", { origin: "human" }), summary, assistant("a", "m", [use("t")])]);
    transcript.close();
    return transcript.path;
  };
  expect(readSession(path("auto")).isCutOff).toBe(true);
  expect(readSession(path("manual")).isCutOff).toBeUndefined();
});

test("a snapshot's odd parts are left out", () => {
  const session = readSession(
    withLines(
      line(boundary("b", []), {
        snapshot: { title: 7, model: "m", permissionMode: "bypassPermissions", ledger: "x", todos: [1] },
      }),
    ),
  );
  expect(session).toMatchObject({
    title: undefined,
    model: "m",
    permissionMode: undefined,
    ledger: undefined,
    todos: [1],
  });
});

test("an unreadable last boundary leads back to the one before it", () => {
  const torn = `${line(boundary("c", [user("s2", "second")])).slice(0, -2)}`;
  const session = readSession(withLines(line(boundary("b", [user("s", "summary")])), torn));
  expect(session.messages.map((message) => message.uuid)).toEqual(["s", "w"]);
  expect(session.report.badLines).toBeGreaterThan(0);
});

test("a boundary written as text or as input is none", () => {
  const text = `\n${line(boundary("x", []))}\n`;
  const call = assistant("a", "m", [{ type: "tool_use", id: "c", name: "Write", input: boundary("x", []) as never }]);
  const session = readSession(withLines(line(user("t", text)), line(call), line(result("r", "c", text))));
  expect(session.messages.map((message) => message.uuid)).toEqual(["u", "t", "a", "r", "w"]);
});

test("a missing file, a folder, a link and what the system refuses are told apart", () => {
  const folder = temporaryFolder();
  const path = transcriptPath(folder, sessionId);
  const code = (at: string) => {
    try {
      return readSession(at).sessionId;
    } catch (error) {
      return (error as TranscriptError).code;
    }
  };
  expect([code(path), code(folder)]).toEqual(["not_found", "not_regular"]);
  writeFileSync(join(folder, "file"), "");
  symlinkSync(join(folder, "file"), path);
  expect([code(path), code(join(folder, "file", "below"))]).toEqual(["not_regular", "io"]);
});

test("what was said is visited once: what stands in a boundary alone is told from what has a line of its own", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  const [kept, summary] = [user("k", "kept"), user("s", "in short")];
  appendAll(transcript, [user("u", "hi"), kept, boundary("b", [summary, kept]), user("w", "more")]);
  transcript.close();
  const visited = (whole: boolean) => {
    const told: string[] = [];
    eachMessage(transcript.path, { whole }, ({ message, isInner }) => void told.push(`${message.uuid} ${isInner}`));
    return told;
  };
  expect(visited(true)).toEqual(["u false", "k false", "b false", "s true", "w false"]);
  expect(visited(false)).toEqual(["b false", "s true", "k true", "w false"]);
});

test("a tombstone takes its targets away, a boundary stands for all before it", () => {
  const [one, two, three] = [user("1", "a"), user("2", "b"), user("3", "c")];
  const stone: Message = { type: "tombstone", uuid: "s", timestamp: "", targets: ["2", "none"], reason: "retry" };
  const before = [one, two, three];
  expect(fold(before, stone)).toEqual([one, three]);
  expect(fold(before, boundary("b", [three]))).toEqual([three]);
  expect(before).toEqual([one, two, three]);
});

test("a lost result inside the conversation is put in, one at the end is left to the repair", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  const [first, second] = [sampleConversation(0), sampleConversation(1)];
  appendAll(transcript, [...first.filter((message) => message.uuid !== "t0-r1"), ...second.slice(0, 5)]);
  const session = readSession(transcript.path);
  expect(pairProblems(session.messages)).toEqual(["t1-call2 has 0 results"]);
  expect(session.report.repaired).toEqual(["call t0-call1 without its result"]);
  expect(readSession(transcript.path).messages).toEqual(session.messages);
  const repair = repairOrphans(session.messages, createIds(), clock);
  expect(repair.map((message) => message.content)).toMatchObject([
    [{ tool_use_id: "t1-call2", is_error: true, content: expect.stringMatching(/outcome is unknown/) as string }],
  ]);
  expect(pairProblems([...session.messages, ...repair])).toEqual([]);
});

test("a prompt after an open call does not hide it", () => {
  const messages = [user("u", "hi"), assistant("a", "m", [use("c")]), user("w", "are you there?")];
  expect(repairOrphans(messages, createIds(), clock)[0]?.content).toMatchObject([{ tool_use_id: "c" }]);
});

test("the repair says what is known of a call: started or not, safe to call again or not", () => {
  const messages = [assistant("a", "m", [use("c1", "Bash"), use("c2", "Bash"), use("c3", "Read"), use("c4", "Write")])];
  const options = {
    started: new Set(["c1", "c3", "c4"]),
    replay: (name: string) => (name === "Read" ? "safe" : name === "Write" ? "idempotent" : undefined),
  } as const;
  const texts = repairOrphans(messages, createIds(), clock, options)[0]!.content.map((block) =>
    block.type === "tool_result" && typeof block.content === "string" ? block.content : "",
  );
  expect(texts[0]).toMatch(/while this call was running.*unknown.*Check the current state/);
  expect(texts[1]).toMatch(/has not run/);
  expect(texts[2]).toMatch(/unknown.*can simply be called again/);
  expect(texts[3]).toMatch(/unknown.*is safe/);
});

test("100 MB with a boundary near the end: little is read, within a second", () => {
  const folder = temporaryFolder();
  const first = open(folder);
  appendAll(first, [user("u", "x".repeat(900)), ...sampleConversation()]);
  first.close();
  const turns = readFileSync(first.path);
  const body = turns.subarray(turns.indexOf(10) + 1);
  const copies = Buffer.alloc(body.length * Math.ceil((8 * 1024 * 1024) / body.length), body);
  for (let written = 0; written < 100 * 1024 * 1024; written += copies.length) appendFileSync(first.path, copies);
  const second = open(folder, { resume: { leafUuid: "u", nextSeq: 9, snapshot: { title: "kept" }, recentUuids: [] } });
  appendAll(second, [boundary("b", [user("s", "summary")]), ...sampleConversation(7)]);
  second.close();
  let bytesRead = 0;
  const fs = breakable(() => undefined);
  const counting = { ...fs, read: (...given: Parameters<typeof fs.read>) => count(fs.read(...given)) };
  const count = (read: number) => ((bytesRead += read), read);
  const start = process.cpuUsage();
  const session = readSession(first.path, counting);
  const busy = process.cpuUsage(start);
  expect(session.messages.map((message) => message.uuid)).toEqual([
    "s",
    ...sampleConversation(7).map((message) => message.uuid),
  ]);
  expect(session).toMatchObject({ title: "kept", facts: { cwd: "/project" }, report: { badLines: 0 } });
  expect(bytesRead).toBeLessThan(4 * 1024 * 1024);
  expect((busy.user + busy.system) / 1000).toBeLessThan(1000);
});

test("a line of hundreds of megabytes is ignored in bounded memory", () => {
  const path = withLines(line(user("x", "x")));
  const tail = readFileSync(path);
  const size = 320 * 1024 * 1024;
  const descriptor = openSync(path, "r+");
  ftruncateSync(descriptor, size);
  closeSync(descriptor);
  appendFileSync(path, "\n");
  appendFileSync(path, tail.subarray(tail.indexOf(10) + 1));
  const before = process.memoryUsage().rss;
  const session = readSession(path);
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  expect(session.report.bad[0]?.why).toMatch(/a line of \d{9,} bytes/);
  expect(session.messages.map((message) => message.uuid)).toEqual(["u", "x", "w"]);
});

test("an empty file is an empty session", () => {
  const path = transcriptPath(temporaryFolder(), sessionId);
  writeFileSync(path, "");
  expect(readSession(path)).toMatchObject({ messages: [], leafUuid: null, report: { badLines: 0, records: 0 } });
  expect(describeReport(readSession(path).report)).toBeUndefined();
});
