import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Attachment, ContentBlock } from "../../src/protocol/message.ts";
import {
  projectFolder,
  projectSlug,
  readSession,
  sessionFolder,
  toolResultsFolder,
  transcriptPath,
} from "../../src/transcript/index.ts";
import {
  appendAll,
  assistant,
  boundary,
  breakable,
  open,
  responseEnd,
  result,
  sampleConversation,
  sessionId,
  use,
  user,
} from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const linesOf = (path: string) =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("a project's folder is its path with other characters replaced by dashes, and long paths stay distinct", () => {
  expect(projectSlug("/home/me/My_project.v2")).toBe("-home-me-My-project-v2");
  const long = `/${"x".repeat(300)}`;
  expect(projectSlug(`${long}1`)).not.toBe(projectSlug(`${long}2`));
  expect(projectSlug(`${long}1`).length).toBeLessThan(220);
  expect(projectSlug(`${long}1`)).toMatch(/^-x{199}-[0-9a-z]+$/);
  expect(transcriptPath(projectFolder("/h", "/p"), sessionId)).toBe(`/h/projects/-p/${sessionId}.jsonl`);
  const id = "abcdefab-cdef-4abc-8def-abcdefabcdef";
  expect(transcriptPath("/h", id.toUpperCase())).toBe(`/h/${id}.jsonl`);
  expect(sessionFolder(`/h/${sessionId}.jsonl`)).toBe(`/h/${sessionId}`);
  expect(toolResultsFolder(`/h/${sessionId}.jsonl`)).toBe(`/h/${sessionId}/tool-results`);
});

test.each(["../../etc/passwd", "", "abc", `${sessionId}/x`, `${sessionId}\n`])(
  "an id that is not a UUID is never used in a path: %j",
  (id) => {
    expect(() => transcriptPath("/h", id)).toThrow(/UUID/);
  },
);

test("records carry seq, parent and envelope, and read back as they were", () => {
  const folder = temporaryFolder();
  const transcript = open(folder, { gitBranch: "main", facts: { model: "claude-opus-5-5", source: "print" } });
  const messages = sampleConversation();
  appendAll(transcript, messages);
  const lines = linesOf(transcript.path);
  expect(lines[0]).toMatchObject({
    v: 1,
    type: "session",
    seq: 0,
    sessionId,
    data: { cwd: "/project", model: "claude-opus-5-5", source: "print" },
  });
  expect(lines.map((line) => line["seq"])).toEqual(lines.map((_, index) => index));
  expect(lines.slice(1).map((line) => line["parentUuid"])).toEqual([
    null,
    ...messages.slice(0, -1).map((message) => message.uuid),
  ]);
  expect(lines[1]).toMatchObject({
    cwd: "/project",
    version: "0.1.0",
    gitBranch: "main",
    timestamp: messages[0]!.timestamp,
  });
  const session = readSession(transcript.path);
  expect(session.messages).toEqual(messages);
  expect(session.facts).toMatchObject({ createdAt: "2026-11-20T12:00:00.000Z", source: "print" });
  expect(session.leafUuid).toBe(messages.at(-1)!.uuid);
  expect(session.report).toMatchObject({ badLines: 0, gaps: [], chainBreaks: 0, repaired: [] });
});

test("nothing is on disk before the first record, and then the file and its folder are private", () => {
  const folder = join(temporaryFolder(), "projects", "-p");
  const transcript = open(folder);
  expect(existsSync(transcript.path)).toBe(false);
  appendAll(transcript, [user("u", "hi")]);
  expect(statSync(transcript.path).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("an existing file and folder that are open to others are made private", () => {
  const folder = join(temporaryFolder(), "p");
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  const path = transcriptPath(folder, sessionId);
  writeFileSync(path, "");
  chmodSync(path, 0o644);
  appendAll(open(folder), [user("u", "hi")]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("a symbolic link in place of the transcript is not followed", () => {
  const folder = temporaryFolder();
  const target = join(folder, "victim");
  writeFileSync(target, "");
  symlinkSync(target, transcriptPath(folder, sessionId));
  expect(() => appendAll(open(folder), [user("u", "hi")])).toThrow(/exists already|symbolic link/);
  expect(readFileSync(target, "utf8")).toBe("");
});

test("a pipe in place of the transcript is neither written to nor waited for", () => {
  const folder = temporaryFolder();
  execFileSync("sh", ["-c", 'mkfifo "$0"', transcriptPath(folder, sessionId)]);
  const appended = open(folder).append(user("u", "hi"));
  expect(appended).toMatchObject({
    ok: false,
    failure: { kind: "transcript", message: expect.stringContaining("not a plain file") as string },
  });
});

test("a message with a repeated uuid is recorded once, even after a resume", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  const message = user("u", "hi");
  expect([transcript.append(message), transcript.append(message)]).toEqual([{ ok: true }, { ok: true }]);
  transcript.close();
  const again = open(folder, { resume: readSession(transcript.path).resumePoint });
  appendAll(again, [message, user("w", "more"), user("w", "more")]);
  const { messages, report } = readSession(transcript.path);
  expect(messages.map((each) => each.uuid)).toEqual(["u", "w"]);
  // A reader would skip the duplicate and report it.
  expect(report).toMatchObject({ records: 3, badLines: 0 });
});

test("records after close are refused, and nothing of them is written", () => {
  const transcript = open(temporaryFolder());
  transcript.append(user("u", "hi"));
  transcript.close();
  const before = readFileSync(transcript.path);
  expect(transcript.append(user("w", "late"))).toMatchObject({ ok: false });
  expect(transcript.appendMeta("title", { title: "late" })).toMatchObject({ ok: false });
  transcript.close();
  expect(readFileSync(transcript.path)).toEqual(before);
  const unwritten = open(temporaryFolder());
  unwritten.close();
  expect(unwritten.append(user("u", "late"))).toMatchObject({ ok: false });
  expect(existsSync(unwritten.path)).toBe(false);
});

test("a resumed session continues its numbering and its chain", () => {
  const folder = temporaryFolder();
  const first = open(folder);
  appendAll(first, sampleConversation(0));
  first.close();
  const second = open(folder, { resume: readSession(first.path).resumePoint });
  appendAll(second, sampleConversation(1));
  second.close();
  const session = readSession(first.path);
  expect(session.messages).toEqual([...sampleConversation(0), ...sampleConversation(1)]);
  expect(session.report).toMatchObject({ gaps: [], chainBreaks: 0, badLines: 0 });
});

test("an existing session cannot be started a second time", () => {
  const folder = temporaryFolder();
  const first = open(folder);
  appendAll(first, [user("u", "hi")]);
  first.close();
  expect(() => open(folder)).toThrow(/exists already/);
  const again = open(folder, { resume: readSession(first.path).resumePoint });
  expect(again.append(user("w", "hi"))).toEqual({ ok: true });
});

test("lone surrogates, line separators and control characters survive", () => {
  const folder = temporaryFolder();
  const text = "\ud800 \udc00 \u2028\u2029 \u0000 \r\n \u{1f43e}";
  const transcript = open(folder);
  appendAll(transcript, [user("u", text), result("r", "x", text)]);
  expect(readSession(transcript.path).messages).toEqual([user("u", text)]);
  expect(readFileSync(transcript.path, "utf8").split("\n")).toHaveLength(4);
});

test("a resume restores the newest value of each fact", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  transcript.appendMeta("title", { title: "old" });
  transcript.appendMeta("title", { title: "new" });
  transcript.appendMeta("model", { model: "claude-haiku-5-5" });
  transcript.appendMeta("permission_mode", { mode: "acceptEdits" });
  transcript.appendMeta("ledger", { totalUsd: 1 });
  transcript.appendMeta("todos", [{ content: "a" }]);
  transcript.appendMeta("read_file_state", { "/a": 1 });
  transcript.appendMeta("system_prompt", ["text"]);
  transcript.appendMeta("tool_started", { toolUseId: "call" });
  appendAll(transcript, [user("u", "hi")]);
  expect(readSession(transcript.path)).toMatchObject({
    title: "new",
    model: "claude-haiku-5-5",
    permissionMode: "acceptEdits",
    ledger: { totalUsd: 1 },
    todos: [{ content: "a" }],
    readFileState: { "/a": 1 },
    systemPrompt: ["text"],
    startedToolUses: new Set(["call"]),
    leafUuid: "u",
  });
});

test("what was read comes back with the later changes, and a whole list replaces all that was recorded before", () => {
  const transcript = open(temporaryFolder(), { snapshot: () => ({ readFileState: [["/d", {}]] }) });
  const readFiles = () => readSession(transcript.path).readFileState;
  transcript.appendMeta("read_file_changes", [["/a", {}]]);
  expect(readFiles()).toEqual([["/a", {}]]);
  transcript.appendMeta("read_file_state", [["/b", {}]]);
  transcript.appendMeta("read_file_changes", [["/c", {}]]);
  transcript.appendMeta("read_file_changes", [["/b", null]]);
  expect(readFiles()).toEqual([
    ["/b", {}],
    ["/c", {}],
    ["/b", null],
  ]);
  appendAll(transcript, [user("u", "hi"), boundary("b", [user("s", "summary", { isCompactSummary: true })])]);
  transcript.appendMeta("read_file_changes", [["/e", {}]]);
  expect(readFiles()).toEqual([
    ["/d", {}],
    ["/e", {}],
  ]);
  expect(readSession(transcript.path).resumePoint.snapshot.readFileState).toEqual(readFiles());
});

test("a boundary carries the earlier facts, and what the session adds", () => {
  const folder = temporaryFolder();
  const transcript = open(folder, { snapshot: () => ({ ledger: { totalUsd: 2 }, readFileState: { "/b": 2 } }) });
  transcript.appendMeta("title", { title: "kept" });
  transcript.appendMeta("ledger", { totalUsd: 1 });
  appendAll(transcript, [
    ...sampleConversation(),
    boundary("b", [user("s", "summary", { isCompactSummary: true })]),
    user("next", "go on"),
  ]);
  transcript.close();
  const session = readSession(transcript.path);
  expect(session.report.startOffset).toBeGreaterThan(0);
  expect(session.messages.map((message) => message.uuid)).toEqual(["s", "next"]);
  expect(session).toMatchObject({
    title: "kept",
    ledger: { totalUsd: 2 },
    readFileState: { "/b": 2 },
    facts: { cwd: "/project" },
  });
  const again = open(folder, { resume: session.resumePoint });
  appendAll(again, [boundary("c", [user("s2", "second")])]);
  expect(readSession(transcript.path)).toMatchObject({ title: "kept", ledger: { totalUsd: 2 } });
});

test.each([
  ["default", "restored"],
  ["acceptEdits", "restored"],
  ["dontAsk", "restored"],
  ["plan", "not restored"],
  ["bypassPermissions", "not restored"],
] as const)("the mode %s is %s", (mode, which) => {
  const transcript = open(temporaryFolder());
  transcript.appendMeta("permission_mode", { mode });
  appendAll(transcript, [boundary("b", [])]);
  expect(readSession(transcript.path).permissionMode).toBe(which === "restored" ? mode : undefined);
});

test("client output that would make the line too long is left out, and the rest is kept", () => {
  const transcript = open(temporaryFolder());
  const huge = result("r", "c", "small");
  huge.toolUseResult = "x".repeat(70 * 1024 * 1024);
  appendAll(transcript, [assistant("a", "m", [use("c")]), huge]);
  expect(readSession(transcript.path).messages).toEqual([assistant("a", "m", [use("c")]), result("r", "c", "small")]);
});

test("a message of 100 MB is refused with a sentence, and the file stays valid", () => {
  const transcript = open(temporaryFolder());
  appendAll(transcript, [user("u", "hi")]);
  const refused = transcript.append(user("big", "x".repeat(100 * 1024 * 1024)));
  expect(refused).toMatchObject({
    ok: false,
    failure: { kind: "transcript", message: expect.stringMatching(/100 MB.*--resume/) as string },
  });
  appendAll(transcript, [user("w", "more")]);
  const session = readSession(transcript.path);
  expect(session.messages.map((message) => message.uuid)).toEqual(["u", "w"]);
  expect(session.report.gaps).toEqual([]);
});

test("a message that is not JSON gives a failure, not an exception", () => {
  const transcript = open(temporaryFolder());
  const message = { ...user("u", "hi"), toolUseResult: 1n };
  expect(transcript.append(message)).toMatchObject({ ok: false });
  expect(transcript.append(user("w", "hi"))).toEqual({ ok: true });
});

test("power durability syncs what the next request is built from before it is sent, process durability never", () => {
  const count = (durability: "power" | "process") => {
    let syncs = 0;
    const fs = breakable((call) => {
      if (call === "sync") syncs++;
      return undefined;
    });
    const transcript = open(temporaryFolder(), { durability, fs });
    appendAll(transcript, [user("u", "hi"), assistant("a", "m", [{ type: "text", text: "I look." }])]);
    const afterText = syncs;
    appendAll(transcript, [assistant("b", "m", [use("c")]), result("r", "c"), responseEnd("e", "m")]);
    const afterEnd = syncs;
    const prompt: ContentBlock[] = [{ type: "text", text: "Also this." }];
    const queued: Attachment = { kind: "queued_command", prompt, sourceUuid: "q" };
    const { timestamp } = user("u", "hi");
    appendAll(transcript, [{ type: "attachment", uuid: "q1", timestamp, attachment: queued }]);
    appendAll(transcript, [{ type: "thinking_stripped", uuid: "t", timestamp, reason: "rejected" }]);
    const afterNews = syncs;
    appendAll(transcript, [{ type: "notice", uuid: "n", timestamp, level: "info", name: "hook", text: "By the way." }]);
    return [afterText, afterEnd, afterNews, syncs];
  };
  expect(count("process")).toEqual([0, 0, 0, 0]);
  expect(count("power")).toEqual([2, 5, 7, 7]);
});

function target(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    // The one that listed the folder is closed by now.
    return "";
  }
}

test("two hundred sessions open no file before they write and leave none open after they close", () => {
  const folder = temporaryFolder();
  // Only this test's own: what other tests of the worker left to be collected may go at any time.
  const count = () => readdirSync("/proc/self/fd").filter((name) => target(name).startsWith(folder)).length;
  const before = count();
  const listeners = process.listenerCount("exit");
  const sessions = Array.from({ length: 200 }, (_, index) => {
    const id = `11111111-2222-4333-8444-${String(index).padStart(12, "0")}`;
    return open(folder, { sessionId: id, path: transcriptPath(folder, id) });
  });
  expect(count()).toBe(before);
  expect(process.listenerCount("exit")).toBeLessThanOrEqual(listeners + 1);
  for (const session of sessions) appendAll(session, sampleConversation());
  expect(count()).toBe(before + 200);
  for (const session of sessions) session.close();
  expect(count()).toBe(before);
  expect(process.listenerCount("exit")).toBe(listeners);
});
