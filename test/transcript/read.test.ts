import { appendFileSync, closeSync, ftruncateSync, openSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Message } from "../../src/protocol/index.ts";
import type { TranscriptError } from "../../src/transcript/error.ts";
import { eachMessage } from "../../src/transcript/history.ts";
import { describeReport, foldMessage, readSession, repairOrphans, transcriptPath } from "../../src/transcript/index.ts";
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
  use,
  user,
} from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

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
  ["a type that differs from the message's", line(user("x", "x"), { type: "assistant" })],
  ["a uuid that differs from the message's", line(user("x", "x"), { uuid: "y" })],
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
])("a line with %s is skipped and reported, and affects nothing else", (_name, odd) => {
  const session = readSession(withLines(odd));
  expect(session.messages.map((message) => message.uuid)).toEqual(["u", "w"]);
  expect(session.report.badLines).toBe(1);
  expect(session.report.bad[0]?.why).toBeTruthy();
  expect(describeReport(session.report)).toMatch(/1 unreadable line was skipped/);
  expect(session.permissionMode).toBeUndefined();
});

test("a record is read despite CRLF, a byte order mark, blank lines or NULs before it", () => {
  const good = line(user("x", "x"));
  expect(readSession(withLines(`${good}\r`)).messages.map((message) => message.uuid)).toEqual(["u", "x", "w"]);
  expect(readSession(withLines(`\ufeff${good}`)).messages).toHaveLength(3);
  expect(readSession(withLines("", "", good)).messages).toHaveLength(3);
  expect(readSession(withLines(Buffer.concat([Buffer.alloc(4096), Buffer.from(good)]))).messages).toHaveLength(3);
});

test("gaps in the numbering and the chain are reported, and nothing is dropped", () => {
  const session = readSession(
    withLines(line(user("x", "x"), { seq: 9 }), line(user("y", "y"), { seq: 10, parentUuid: "nowhere" })),
  );
  expect(session.messages.map((message) => message.uuid)).toEqual(["u", "x", "y", "w"]);
  expect(session.report.gaps).toHaveLength(2);
  expect(session.report.chainBreaks).toBeGreaterThan(0);
});

test("a lost beginning is reported, and the thinking after it is marked as unbound", () => {
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

test("thinking between two losses is marked as unbound", () => {
  const thought = assistant("a", "m", [{ type: "thinking", thinking: "hm", signature: "c2ln" }]);
  const path = withLines(
    line(user("x", "x"), { parentUuid: "lost" }),
    line(thought, { parentUuid: "x" }),
    line(user("y", "y"), { parentUuid: "lost, too" }),
  );
  expect(readSession(path).hasUnboundThinking).toBe(true);
});

test("records after one with the largest possible number are still readable", () => {
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

test("a repeated record counts once", () => {
  const session = readSession(withLines(line(user("x", "x")), line(user("x", "forged")), line(user("u", "forged"))));
  expect(session.messages.map((message) => message.uuid)).toEqual(["u", "x", "w"]);
  expect(session.report.badLines).toBe(2);
});

test("a boundary is read without the malformed messages inside it", () => {
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

test("a session that died after an automatic summary within its turn counts as cut off", () => {
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

test("malformed parts of a snapshot are left out", () => {
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

test("if the last boundary is unreadable, reading starts at the one before it", () => {
  const torn = `${line(boundary("c", [user("s2", "second")])).slice(0, -2)}`;
  const session = readSession(withLines(line(boundary("b", [user("s", "summary")])), torn));
  expect(session.messages.map((message) => message.uuid)).toEqual(["s", "w"]);
  expect(session.report.badLines).toBeGreaterThan(0);
});

test("a boundary quoted in text or tool input is not taken for one", () => {
  const text = `\n${line(boundary("x", []))}\n`;
  const call = assistant("a", "m", [{ type: "tool_use", id: "c", name: "Write", input: boundary("x", []) as never }]);
  const session = readSession(withLines(line(user("t", text)), line(call), line(result("r", "c", text))));
  expect(session.messages.map((message) => message.uuid)).toEqual(["u", "t", "a", "r", "w"]);
});

test("a missing file, a folder, a link and a system error have different error codes", () => {
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

test("each message is visited once, and those that only a boundary contains are marked as inner", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  const [kept, summary] = [user("k", "kept"), user("s", "in short")];
  appendAll(transcript, [user("u", "hi"), kept, boundary("b", [summary, kept]), user("w", "more")]);
  transcript.close();
  const visited = (whole: boolean) => {
    const told: string[] = [];
    eachMessage(
      transcript.path,
      { includeCompacted: whole },
      ({ message, isInner }) => void told.push(`${message.uuid} ${isInner}`),
    );
    return told;
  };
  expect(visited(true)).toEqual(["u false", "k false", "b false", "s true", "w false"]);
  expect(visited(false)).toEqual(["b false", "s true", "k true", "w false"]);
});

test("a tombstone removes its targets, and a boundary replaces everything before it", () => {
  const [one, two, three] = [user("1", "a"), user("2", "b"), user("3", "c")];
  const stone: Message = { type: "tombstone", uuid: "s", timestamp: "", targets: ["2", "none"], reason: "retry" };
  const before = [one, two, three];
  expect(foldMessage(before, stone)).toEqual([one, three]);
  expect(foldMessage(before, boundary("b", [three]))).toEqual([three]);
  expect(before).toEqual([one, two, three]);
});

test("a lost result within the conversation is filled in, one at the end is left to the repair", () => {
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

test("a call stays open for the repair even if a prompt follows it", () => {
  const messages = [user("u", "hi"), assistant("a", "m", [use("c")]), user("w", "are you there?")];
  expect(repairOrphans(messages, createIds(), clock)[0]?.content).toMatchObject([{ tool_use_id: "c" }]);
});

test("the repair says whether a call was started, and whether it is safe to repeat", () => {
  const messages = [assistant("a", "m", [use("c1", "Bash"), use("c2", "Bash"), use("c3", "Read"), use("c4", "Write")])];
  const options = {
    startedCalls: new Set(["c1", "c3", "c4"]),
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

test("a session of 100 MB with a boundary near the end is read within a second, from few bytes", () => {
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

test("a line of hundreds of megabytes is skipped in bounded memory", () => {
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
