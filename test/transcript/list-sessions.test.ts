import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Message } from "../../src/protocol/index.ts";
import {
  acquireLock,
  fileHistoryFolder,
  findSession,
  newestSession,
  nodeFileSystem,
  projectFolder,
  projectsFolder,
  readSession,
  subagentPath,
  transcriptPath,
  type TranscriptFileSystem,
} from "../../src/transcript/index.ts";
import { forkSession } from "../../src/transcript/fork.ts";
import { readSummary, sessionFiles } from "../../src/transcript/list-sessions.ts";
import { put } from "../support/put.ts";
import { annotateSession } from "../../src/transcript/annotate-session.ts";
import { removeSession } from "../../src/transcript/remove.ts";
import {
  appendAll,
  boundary,
  clock,
  idOf,
  listSessions,
  open,
  sampleConversation,
  sessionId,
  sweepSessions,
  user,
} from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const day = 24 * 60 * 60;

/** A session of `cwd`, last touched `age` seconds before the clock's now. */
function session(
  home: string,
  cwd: string,
  id: string,
  age: number,
  options: { title?: string; prompt?: string; source?: string } = {},
): string {
  const path = transcriptPath(projectFolder(home, cwd), id);
  const transcript = open("", { path, sessionId: id, cwd, facts: { source: options.source } });
  appendAll(transcript, [
    user("c", "memory", { isMeta: true, origin: "context" }),
    user("u", options.prompt ?? "first\n prompt"),
  ]);
  if (options.title !== undefined) transcript.appendMeta("title", { title: options.title });
  appendAll(transcript, [user("v", "second prompt")]);
  transcript.close();
  const at = clock.now() / 1000 - age;
  utimesSync(path, at, at);
  return path;
}

/** All of it was said so many seconds later, and its file is of that time or of another one. */
function respoken(path: string, seconds: number, fileIsOf = seconds): void {
  const [was, is] = [0, seconds].map((each) => new Date(clock.now() + each * 1000).toISOString());
  put(path, readFileSync(path, "utf8").replaceAll(was ?? "", is ?? ""));
  utimesSync(path, clock.now() / 1000 + fileIsOf, clock.now() / 1000 + fileIsOf);
}

test("lists sessions newest first, with title, first prompt, folder and time", () => {
  const home = temporaryFolder();
  session(home, "/p", idOf(1), 300, { title: "Fix the parser" });
  session(home, "/p", idOf(2), 100, { prompt: `${"long ".repeat(100)}` });
  session(home, "/p", idOf(3), 200);
  const folder = projectFolder(home, "/p");
  writeFileSync(join(folder, "notes.jsonl"), "x\n");
  writeFileSync(join(folder, `${idOf(4)}.jsonl`), "");
  writeFileSync(join(folder, `${idOf(5)}.jsonl`), "damaged\n");
  utimesSync(join(folder, `${idOf(5)}.jsonl`), 0, 0);
  symlinkSync("/etc/passwd", join(folder, `${idOf(6)}.jsonl`));
  const sessions = listSessions(folder);
  expect(sessions.map((each) => each.sessionId)).toEqual([idOf(2), idOf(3), idOf(1), idOf(5)]);
  expect(sessions[2]).toMatchObject({
    title: "Fix the parser",
    firstPrompt: "first prompt",
    cwd: "/p",
    createdAt: "2026-11-20T12:00:00.000Z",
  });
  expect(sessions[0]!.firstPrompt!.length).toBeLessThanOrEqual(200);
  expect(listSessions(join(home, "none"))).toEqual([]);
});

test("finds a title that lies before a boundary", () => {
  const home = temporaryFolder();
  const folder = projectFolder(home, "/p");
  const transcript = open(folder);
  transcript.appendMeta("title", { title: "Old title" });
  appendAll(transcript, [user("u", "x".repeat(400_000)), boundary("b", [user("s", "summary")])]);
  transcript.close();
  expect(listSessions(folder)[0]).toMatchObject({ title: "Old title" });
});

test("finds the last title, tag and archived mark, however much was said since", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  appendAll(transcript, [user("u", "first")]);
  transcript.appendMeta("title", { title: "Old" });
  transcript.appendMeta("tag", { tag: "gone" });
  transcript.appendMeta("title", { title: "Parser" });
  transcript.appendMeta("archived", { archived: true });
  for (let turn = 0; turn < 12; turn++) appendAll(transcript, [user(`u${turn}`, "x".repeat(300_000))]);
  transcript.appendMeta("tag", { tag: null });
  appendAll(transcript, [user("said", '\n{"v":1,"type":"title","data":{"title":"forged"}}')]);
  transcript.close();
  expect(listSessions(folder)[0]).toMatchObject({ title: "Parser", tag: null, archived: true });
  expect(readSummary(sessionFiles(nodeFileSystem, folder)[0]!, nodeFileSystem, true)).not.toHaveProperty("title");
});

test.each([[[]], [[boundary("b", [user("s", "summary")])]]])(
  "a copy of an archived session is not archived: %#",
  (later) => {
    const folder = temporaryFolder();
    const transcript = open(folder);
    appendAll(transcript, [user("u", "first")]);
    transcript.appendMeta("archived", { archived: true });
    appendAll(transcript, later);
    transcript.close();
    forkSession(transcript.path, idOf(1), { clock });
    const archived = new Map(listSessions(folder).map((one) => [one.sessionId, one.archived ?? false]));
    expect(archived).toEqual(
      new Map([
        [sessionId, true],
        [idOf(1), false],
      ]),
    );
  },
);

test("finds the newest session of the folder that is accepted", () => {
  const home = temporaryFolder();
  for (let index = 0; index < 12; index++)
    session(home, "/p", idOf(index), 100 + index, { source: index < 11 ? "print" : "cli" });
  const place = { home, cwd: "/p" };
  expect(newestSession(place)?.sessionId).toBe(idOf(0));
  expect(newestSession(place, (each) => each.source === "cli")?.sessionId).toBe(idOf(11));
  expect(newestSession(place, () => false)).toBeUndefined();
  expect(newestSession({ home, cwd: "/other" })).toBeUndefined();
});

// Seen: a session of last month was tagged, and --continue resumed it.
test("a session is not newer because it was given a title or a tag since", () => {
  const home = temporaryFolder();
  session(home, "/p", idOf(1), 100);
  const named = session(home, "/p", idOf(2), 50_000);
  const place = { home, cwd: "/p" };
  const ids = { uuid: () => "mark" };
  annotateSession(named, "title", { title: "Old" }, { clock, ids });
  annotateSession(named, "tag", { tag: "kept" }, { clock: { now: () => clock.now() + day }, ids });
  utimesSync(named, clock.now() / 1000 + day, clock.now() / 1000 + day);
  // Both were spoken in at the clock's now.
  expect(newestSession(place)?.sessionId).toBe(idOf(2));
  const path = transcriptPath(projectFolder(home, "/p"), idOf(1));
  respoken(path, 1);
  expect(newestSession(place)?.sessionId).toBe(idOf(1));
  expect(listSessions(projectFolder(home, "/p"))[0]?.sessionId).toBe(idOf(2));
});

test("a session is not newer because its file was touched or copied without its time", () => {
  const home = temporaryFolder();
  session(home, "/p", idOf(1), 0);
  const touched = session(home, "/p", idOf(2), 0);
  respoken(touched, -day, day);
  expect(newestSession({ home, cwd: "/p" })?.sessionId).toBe(idOf(1));
});

test("reads only files that may be the newest if all were restored without their times", () => {
  const home = temporaryFolder();
  for (const at of [0, 1, 2, 3, 4])
    respoken(session(home, "/p", idOf(at), 0, { prompt: "x".repeat(1e6) }), -at * day, day);
  let bytes = 0;
  const read: typeof nodeFileSystem.read = (...given) => ((bytes += given[3]), nodeFileSystem.read(...given));
  expect(newestSession({ home, cwd: "/p", fs: { ...nodeFileSystem, read } })?.sessionId).toBe(idOf(0));
  expect(bytes).toBeLessThan(4e6);
});

test("looks for an id in this project, then in the only other project that has it", () => {
  const home = temporaryFolder();
  const here = session(home, "/p", idOf(1), 0);
  const there = session(home, "/q", idOf(2), 0);
  const place = { home, cwd: "/p" };
  expect(findSession(idOf(1), place).path).toBe(here);
  expect(findSession(idOf(2).toUpperCase(), place)).toEqual({ sessionId: idOf(2), path: there });
  session(home, "/r", idOf(2), 0);
  expect(() => findSession(idOf(2), place)).toThrow(expect.objectContaining({ code: "ambiguous" }) as Error);
  session(home, "/r", idOf(1), 0);
  expect(findSession(idOf(1), place).path).toBe(here);
  expect(() => findSession(idOf(9), place)).toThrow(`No conversation found with session ID: ${idOf(9)}`);
  // What is there and is no session's file is named, not passed over.
  const linked = transcriptPath(projectFolder(home, "/p"), idOf(8));
  symlinkSync(here, linked);
  expect(() => findSession(idOf(8), place)).toThrow(
    `${linked} is not a plain file, so it is not used as a transcript. Put the file itself in its place.`,
  );
  expect(() => findSession("../../../etc/passwd", place)).toThrow(
    "No conversation found with session ID: ../../../etc/passwd",
  );
});

test("a path names a session in the transcript folders, and no file elsewhere", () => {
  const home = temporaryFolder();
  const path = session(home, "/q", idOf(1), 0);
  const place = { home, cwd: join(home, "projects") };
  for (const typed of [path, path.slice(place.cwd.length + 1)])
    expect(findSession(typed, place)).toEqual({ sessionId: idOf(1), path });
  const copy = join(home, `${idOf(1)}.jsonl`);
  copyFileSync(path, copy);
  const notes = join(home, "projects", "notes.jsonl");
  copyFileSync(path, notes);
  for (const typed of [copy, notes])
    expect(() => findSession(typed, place)).toThrow(`${typed} cannot be resumed: only transcripts in`);
  expect(() => findSession(`${copy}.jsonl`, place)).toThrow("No conversation found with session ID");
  // Seen: a session that is called like a file of the folder was not found by its title.
  const called = session(home, place.cwd, idOf(2), 0, { title: "notes.jsonl" });
  expect(findSession("notes.jsonl", place).path).toBe(called);
});

test("a title names a session whatever its Unicode form and blanks", () => {
  const home = temporaryFolder();
  const path = session(home, "/p", idOf(1), 0, { title: "修复 café".normalize("NFC") });
  const place = { home, cwd: "/p" };
  for (const typed of ["修复　café", "修复 café".normalize("NFD"), " 修复  café "])
    expect(findSession(typed, place).path).toBe(path);
});

test("a title names a session of this project if only one has it", () => {
  const home = temporaryFolder();
  const path = session(home, "/p", idOf(1), 0, { title: "Parser" });
  session(home, "/q", idOf(2), 0, { title: "Elsewhere" });
  const place = { home, cwd: "/p" };
  expect(findSession("Parser", place).path).toBe(path);
  expect(() => findSession("Elsewhere", place)).toThrow("No conversation found with session ID: Elsewhere");
  expect(() => findSession("", place)).toThrow("No conversation found");
  session(home, "/p", idOf(3), 0, { title: "Parser" });
  expect(() => findSession("Parser", place)).toThrow(new RegExp(`${idOf(1)}|${idOf(3)}`));
});

test("a search by title reads each file once, without its head", () => {
  const home = temporaryFolder();
  session(home, "/p", idOf(1), 0, { title: "Parser", prompt: "long ".repeat(4_000) });
  session(home, "/p", idOf(2), 0, { title: "Other", prompt: "long ".repeat(4_000) });
  const read: number[] = [];
  const fs: TranscriptFileSystem = {
    ...nodeFileSystem,
    read: (...given) => (read.push(nodeFileSystem.read(...given)), read.at(-1) ?? 0),
  };
  let looks = 0;
  const place = { home, cwd: "/p", fs, onLook: () => void (looks += 1) };
  expect(findSession("Parser", place).sessionId).toBe(idOf(1));
  const sizes = listSessions(projectFolder(home, "/p")).map(({ sizeBytes }) => sizeBytes);
  const records = 2 * 1_000;
  expect(read.reduce((sum, each) => sum + each, 0)).toBeLessThan(sizes.reduce((sum, each) => sum + each, records));
  expect(looks).toBe(2);
});

test("sessions of the repository's other work trees count as this folder's", () => {
  const home = temporaryFolder();
  const path = session(home, "/tree", idOf(1), 0, { title: "Parser" });
  session(home, "/q", idOf(2), 0, { title: "Elsewhere" });
  const place = { home, cwd: "/p", alongside: () => ["/tree", "/p"] };
  expect(findSession("Parser", place).path).toBe(path);
  expect(() => findSession("Elsewhere", place)).toThrow("No conversation found");
  const here = session(home, "/p", idOf(1), 0);
  expect(findSession(idOf(1), place).path).toBe(here);
});

test("a prefix of an id names a session if it is unique, and otherwise lists the candidates", () => {
  const home = temporaryFolder();
  const [one, two] = ["abcd1111-2222-4333-8444-000000000001", "abcd2222-2222-4333-8444-000000000002"];
  const path = session(home, "/p", one, 10, { prompt: "first one" });
  const place = { home, cwd: "/p" };
  expect(findSession("ABCD", place).path).toBe(path);
  const other = session(home, "/p", two, 5, { title: "second" });
  expect(findSession("abcd2", place).path).toBe(other);
  expect(() => findSession("abcd", place)).toThrow(
    expect.objectContaining({
      code: "ambiguous",
      candidates: [
        expect.objectContaining({ sessionId: two, title: "second" }),
        expect.objectContaining({ sessionId: one, firstPrompt: "first one" }),
      ],
    }) as Error,
  );
  expect(() => findSession("abc", place)).toThrow("No conversation found");
  expect(() => findSession("%", place)).toThrow("No conversation found");
  expect(findSession("abcd1", { home, cwd: "/elsewhere" }).path).toBe(path);
  session(home, "/p", idOf(3), 0, { title: "abcd" });
  expect(findSession("abcd", place).sessionId).toBe(idOf(3));
});

test("a fork is the same conversation under new ids", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  transcript.appendMeta("title", { title: "Parser" });
  const tombstone: Message = { type: "tombstone", uuid: "stone", timestamp: "", targets: ["t0-a3"], reason: "retry" };
  appendAll(transcript, [...sampleConversation(0), tombstone]);
  const before = readFileSync(transcript.path);
  const forked = forkSession(transcript.path, idOf(1), { clock });
  const [original, copy] = [readSession(transcript.path), readSession(forked.path)];
  expect(readFileSync(transcript.path)).toEqual(before);
  const bare = (messages: readonly object[]) => messages.map((message) => ({ ...message, uuid: "" }));
  expect(bare(copy.messages)).toEqual(bare(original.messages));
  expect(copy.messages.some((message) => original.messages.some((other) => other.uuid === message.uuid))).toBe(false);
  expect(copy).toMatchObject({
    sessionId: idOf(1),
    title: "Parser",
    facts: { forkedFrom: { sessionId, uuid: "stone" }, createdAt: "2026-11-20T12:00:00.000Z" },
    report: { badLines: 0, gaps: [], chainBreaks: 0 },
  });
  expect(copy.messages[0]!.uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("a fork of a compacted session is read from its boundary, and can continue", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  appendAll(transcript, [
    ...sampleConversation(0),
    boundary("b", [user("s", "summary"), user("k", "kept")]),
    user("n", "next"),
  ]);
  const forked = forkSession(transcript.path, idOf(1), { clock });
  const copy = readSession(forked.path);
  expect(copy.messages).toHaveLength(3);
  expect(copy.report.startOffset).toBeGreaterThan(0);
  const goOn = open(folder, { path: forked.path, sessionId: idOf(1), resume: copy.resumePoint });
  appendAll(goOn, [user("more", "go on")]);
  expect(readSession(forked.path).messages).toHaveLength(4);
});

test("a fork that died half way is not a session, and its id can be used again", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  appendAll(transcript, [user("u", "hi")]);
  const seen: string[][] = [];
  const fs: TranscriptFileSystem = {
    ...nodeFileSystem,
    write(...write) {
      seen.push(listSessions(folder).map(({ sessionId: id }) => id));
      return nodeFileSystem.write(...write);
    },
  };
  writeFileSync(join(folder, `${idOf(1)}.copying`), "half of");
  const forked = forkSession(transcript.path, idOf(1), { clock, fs });
  expect(seen).toEqual([[sessionId]]);
  expect(listSessions(folder)).toHaveLength(2);
  expect(readdirSync(folder)).not.toContain(`${idOf(1)}.copying`);
  expect(readSession(forked.path).messages).toHaveLength(1);
});

test("a fork replaces the agents and files that a dead fork to its id left behind", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  appendAll(transcript, [user("u", "hi")]);
  const agent = open(folder, { path: subagentPath(transcript.path, "a1") });
  appendAll(agent, [user("x", "of an agent")]);
  const kept = "0".repeat(64);
  put(join(fileHistoryFolder(transcript.path), kept), "kept");
  const copy = transcriptPath(folder, idOf(1));
  writeFileSync(join(folder, `${idOf(1)}.copying`), "half of");
  put(subagentPath(copy, "a1"), "half of");
  put(join(fileHistoryFolder(copy), kept), "half");
  forkSession(transcript.path, idOf(1), { clock });
  expect(readSession(subagentPath(copy, "a1")).messages).toHaveLength(1);
  expect(readFileSync(join(fileHistoryFolder(copy), kept), "utf8")).toBe("kept");
});

test("a fork refuses invalid and used ids, and leaves out damaged lines", () => {
  const folder = temporaryFolder();
  const transcript = open(folder);
  appendAll(transcript, [user("u", "hi")]);
  writeFileSync(transcript.path, `${readFileSync(transcript.path, "utf8")}damaged\n{"torn`);
  expect(() => forkSession(transcript.path, "../x", { clock })).toThrow(
    expect.objectContaining({ code: "invalid_id" }) as Error,
  );
  expect(() => forkSession(transcript.path, sessionId, { clock })).toThrow(
    expect.objectContaining({ code: "exists" }) as Error,
  );
  expect(() => forkSession(join(folder, `${idOf(8)}.jsonl`), idOf(1), { clock })).toThrow(
    expect.objectContaining({ code: "not_found" }) as Error,
  );
  expect(forkSession(transcript.path, idOf(2), { clock })).toMatchObject({ records: 2, skipped: 2 });
});

test("the sweep removes old sessions with all their files, and nothing else", () => {
  const home = temporaryFolder();
  const old = session(home, "/p", idOf(1), 40 * day);
  const young = session(home, "/p", idOf(2), 20 * day);
  const busy = session(home, "/p", idOf(3), 40 * day);
  acquireLock(busy);
  const [now, ago] = [clock.now() / 1000, clock.now() / 1000 - 40 * day];
  const beside = [`${idOf(1)}.torn-1`, `${idOf(1)}`, "memory", `${idOf(5)}x`].map((name) =>
    join(projectFolder(home, "/p"), name),
  );
  for (const path of beside) {
    mkdirSync(join(path, "tool-results"), { recursive: true });
    writeFileSync(join(path, "tool-results", "a.txt"), "x");
    utimesSync(path, ago, ago);
  }
  utimesSync(busy.replace(".jsonl", ".lock"), ago, ago);
  writeFileSync(join(projectsFolder(home), "stray"), "");
  const swept = sweepSessions({ home, now: now * 1000, cleanupPeriodDays: 30 });
  expect(swept).toEqual({ removed: [idOf(1)], problems: [] });
  expect([old, beside[0]!, beside[1]!].map((path) => existsSync(path))).toEqual([false, false, false]);
  expect([young, busy, beside[2]!, beside[3]!].map((path) => existsSync(path))).toEqual([true, true, true, true]);
});

test("a session is removed only while nobody else holds it, and only if still wanted under its lock", () => {
  const home = temporaryFolder();
  const path = session(home, "/p", idOf(1), 0);
  const now = () => clock.now();
  expect(removeSession(path, { now, isWanted: () => !existsSync(path.replace(".jsonl", ".lock")) })).toBe(false);
  expect(existsSync(path)).toBe(true);
  const lock = acquireLock(path);
  expect(() => removeSession(path, { now })).toThrow(expect.objectContaining({ code: "locked" }) as Error);
  lock.release();
  expect(removeSession(path, { now })).toBe(true);
  expect(readdirSync(projectFolder(home, "/p"))).toEqual([]);
});

// Seen: the transcript went first, so that what a killed process left of the rest could not be deleted any more, for nothing found it.
test("a removal that fails half way can be repeated, wherever it failed", () => {
  const [home, now] = [temporaryFolder(), () => clock.now()];
  const lay = (): string => {
    const path = session(home, "/p", idOf(1), 0);
    put(path.replace(".jsonl", "/subagents/agent-a.jsonl"), "{}\n");
    put(`${path}.torn`, "{");
    return path;
  };
  const left = (): string[] => readdirSync(projectFolder(home, "/p")).filter((name) => !name.endsWith(".lock"));
  let at = 0;
  for (let isOver = false; !isOver; at++) {
    const path = lay();
    let count = 0;
    const remove = (each: string): void => {
      if (!each.includes(".lock") && count++ === at) throw Object.assign(new Error("EIO"), { code: "EIO" });
      nodeFileSystem.remove(each);
    };
    try {
      removeSession(path, { now, fs: { ...nodeFileSystem, remove } });
      isOver = true;
    } catch {
      expect(left(), `at ${at}`).toContain(`${idOf(1)}.jsonl`);
      removeSession(path, { now });
    }
    expect(left(), `at ${at}`).toEqual([]);
  }
  expect(at, "the folder, the torn line and the transcript failed, then nothing").toBeGreaterThan(3);
});

// Seen: deleting a session to free space failed with the message that the session cannot be written.
test("a session can be removed on a full disk without a lock, but not while another process has it", () => {
  const [home, now] = [temporaryFolder(), () => clock.now()];
  const path = session(home, "/p", idOf(1), 0);
  const write = (): never => {
    throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  };
  const fs = { ...nodeFileSystem, write };
  const lock = acquireLock(path);
  expect(() => removeSession(path, { now, fs })).toThrow();
  expect(existsSync(path)).toBe(true);
  lock.release();
  put(path.replace(".jsonl", ".lock"), JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), nonce: "dead" }));
  expect(removeSession(path, { now, fs })).toBe(true);
  expect(readdirSync(projectFolder(home, "/p"))).toEqual([]);
});

test.each([0, -1, Number.NaN, Infinity])("a cleanup period of %s days removes nothing", (cleanupPeriodDays) => {
  const home = temporaryFolder();
  const path = session(home, "/p", idOf(1), 4000 * day);
  const swept = sweepSessions({ home, now: clock.now(), cleanupPeriodDays });
  expect(swept).toMatchObject({ removed: [], problems: [expect.anything()] });
  expect(existsSync(path)).toBe(true);
});

test("a plain file among the project folders does not disturb finding a session or reporting it missing", () => {
  const home = temporaryFolder();
  const path = session(home, "/p", idOf(1), 100);
  writeFileSync(join(projectsFolder(home), ".DS_Store"), "x");
  expect(findSession(idOf(1), { home, cwd: "/other" })).toEqual({ sessionId: idOf(1), path });
  expect(() => findSession(idOf(2), { home, cwd: "/other" })).toThrow(
    `No conversation found with session ID: ${idOf(2)}`,
  );
});
