/** The disk fails at any call, in any way: what was acknowledged is there, once, and the file holds whole lines. */
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { nodeFileSystem, readSession, transcriptPath, type TranscriptFileSystem } from "../../src/transcript/index.ts";
import { appendAll, breakable, nextTurn, open, sampleConversation, sessionId, systemError, user } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { byTestDepth } from "../support/test-depth.ts";

const codes = ["ENOSPC", "EDQUOT", "EIO", "EROFS", "EMFILE"];

test("a full disk gives a failed result with a sentence for people", () => {
  let full = false;
  const fs = breakable((call) => (full && call === "write" ? systemError("ENOSPC") : undefined));
  const mirrored: string[] = [];
  const mirror = { wrote: (_path: string, line: string) => void mirrored.push(line) };
  const transcript = open(temporaryFolder(), { fs, mirror });
  expect(transcript.append(user("u", "hi"))).toEqual({ ok: true });
  full = true;
  const failed = transcript.append(user("v", "lost"));
  expect(failed).toMatchObject({ ok: false, failure: { kind: "transcript" } });
  expect(failed.ok ? "" : failed.failure.message).toMatch(/the disk is full \(ENOSPC\).*intact.*--resume 11111111/);
  full = false;
  expect(transcript.append(user("v", "lost"))).toEqual({ ok: true });
  expect(readSession(transcript.path).messages.map((message) => message.uuid)).toEqual(["u", "v"]);
  expect(mirrored).toEqual(readFileSync(transcript.path, "utf8").trimEnd().split("\n"));
});

test("if not even the first line can be written, the failure suggests another folder instead of --resume", () => {
  const folder = temporaryFolder();
  const refused = Object.assign(systemError("EPERM"), { syscall: "fchmod" });
  const transcript = open(folder, {
    fs: {
      ...breakable((call) => (call === "setMode" ? refused : undefined)),
      status: (descriptor) => ({ ...nodeFileSystem.status(descriptor), mode: 0o100755 }),
    },
  });
  for (const failed of [transcript.append(user("u", "hi")), transcript.appendMeta("model", { model: "m" })])
    expect(failed).toMatchObject({
      ok: false,
      failure: {
        message:
          `The session's transcript ${transcript.path} could not be written: its mode may not be changed (EPERM). ` +
          "Set PAWL_HOME to a folder that can be written, or keep no transcript (--no-session-persistence).",
      },
    });
});

test("a write that fails half way is undone", () => {
  let writes = 0;
  const fs = breakable((call) => {
    if (call !== "write") return undefined;
    writes++;
    return writes === 4 ? 20 : writes === 5 ? systemError("ENOSPC") : undefined;
  });
  const folder = temporaryFolder();
  const transcript = open(folder, { fs });
  // Write 1 is the lock, 2 the first line, 3 the first message.
  expect(transcript.append(user("u", "hi"))).toEqual({ ok: true });
  const before = readFileSync(transcript.path);
  expect(transcript.append(user("v", "cut"))).toMatchObject({ ok: false });
  expect(readFileSync(transcript.path)).toEqual(before);
});

test("a torn line that cannot be removed becomes one line that readers skip", () => {
  let writes = 0;
  const fs = breakable((call) => {
    if (call === "truncate") return systemError("EIO");
    if (call !== "write") return undefined;
    writes++;
    return writes === 4 ? 20 : writes === 5 ? systemError("ENOSPC") : undefined;
  });
  const transcript = open(temporaryFolder(), { fs });
  expect(transcript.append(user("u", "hi"))).toEqual({ ok: true });
  expect(transcript.append(user("v", "cut"))).toMatchObject({ ok: false });
  expect(transcript.append(user("v", "cut"))).toEqual({ ok: true });
  expect(transcript.append(user("w", "more"))).toEqual({ ok: true });
  const session = readSession(transcript.path);
  expect(session.messages.map((message) => message.uuid)).toEqual(["u", "v", "w"]);
  expect(session.report.badLines).toBe(1);
});

test("a torn line that could not be removed at once is removed before the next line", async () => {
  const strikes: Partial<Record<keyof TranscriptFileSystem, (number | Error)[]>> = {};
  const transcript = open(temporaryFolder(), { fs: breakable((call) => strikes[call]?.shift()) });
  appendAll(transcript, [user("u", "hi")]);
  // Twice: what the second leaves lies behind what the first has left.
  for (const written of [20, 15]) {
    strikes.write = [written, systemError("ENOSPC")];
    strikes.truncate = [systemError("EIO"), ...(written === 15 ? [systemError("EIO")] : [])];
    expect(transcript.append(user("v", "cut"))).toMatchObject({ ok: false });
  }
  await nextTurn();
  appendAll(transcript, [user("w", "more")]);
  const { messages, report } = readSession(transcript.path);
  expect(messages.map(({ uuid }) => uuid)).toEqual(["u", "w"]);
  expect(report).toMatchObject({ badLines: 0, chainBreaks: 0 });
});

test("a line that could not be synced is removed, and the next one takes its place", () => {
  let broken = false;
  const fs = breakable((call) => (broken && call === "sync" ? systemError("EIO") : undefined));
  const transcript = open(temporaryFolder(), { fs, durability: "power" });
  expect(transcript.append(user("u", "hi"))).toEqual({ ok: true });
  const before = readFileSync(transcript.path);
  broken = true;
  expect(transcript.append(user("v", "lost"))).toMatchObject({ ok: false });
  expect(readFileSync(transcript.path)).toEqual(before);
  broken = false;
  expect(transcript.append(user("w", "more"))).toEqual({ ok: true });
  const { messages, report } = readSession(transcript.path);
  expect(messages.map((message) => message.uuid)).toEqual(["u", "w"]);
  expect(report).toMatchObject({ gaps: [], chainBreaks: 0, badLines: 0 });
});

test("with power durability, the start of a call is synced before it runs", () => {
  let syncs = 0;
  const fs = breakable((call) => {
    if (call === "sync") syncs++;
    return undefined;
  });
  const transcript = open(temporaryFolder(), { fs, durability: "power" });
  transcript.append(user("u", "hi"));
  const before = syncs;
  expect(transcript.appendMeta("tool_started", { toolUseId: "t" })).toEqual({ ok: true });
  expect(syncs).toBe(before + 1);
});

test("short writes are completed", () => {
  const fs = breakable((call) => (call === "write" ? 7 : undefined));
  const transcript = open(temporaryFolder(), { fs });
  const messages = sampleConversation();
  for (const message of messages) expect(transcript.append(message)).toEqual({ ok: true });
  expect(readSession(transcript.path).messages).toEqual(messages);
});

test("if any one disk call of a run fails, nothing acknowledged is lost or doubled", () => {
  const messages = [...sampleConversation(0), ...sampleConversation(1)];
  const run = (failAt: number, code: string) => {
    const folder = temporaryFolder();
    const fs = breakable((_call, index) => (index === failAt ? systemError(code) : undefined));
    const acknowledged: string[] = [];
    let opened;
    try {
      opened = open(folder, { fs, durability: "power" });
    } catch (error) {
      return { calls: fs.calls(), opened: String(error) };
    }
    for (const message of messages)
      if (opened.append(message).ok || opened.append(message).ok) acknowledged.push(message.uuid);
    opened.close();
    const session = readSession(transcriptPath(folder, sessionId));
    expect(session.report.tornTail).toBeUndefined();
    expect(session.messages.map((message) => message.uuid)).toEqual(acknowledged);
    expect(acknowledged).toHaveLength(messages.length);
    return { calls: fs.calls() };
  };
  const { calls } = run(-1, "");
  expect(calls).toBeGreaterThan(40);
  // Each call with one of them; among the wide tests with all.
  const isTried = (index: number, code: number): boolean => byTestDepth(index % codes.length === code, true);
  const opened = codes.flatMap((code, at) =>
    Array.from({ length: calls }, (_, index) => (isTried(index, at) ? (run(index, code).opened ?? []) : [])).flat(),
  );
  for (const error of opened) expect(error).toMatch(/TranscriptError/);
});

test("random disk faults leave every acknowledged record in place, once and in order", () => {
  const fault = fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.constantFrom(...codes).map(systemError) },
    { weight: 2, arbitrary: fc.nat(60) },
  );
  fc.assert(
    fc.property(fc.infiniteStream(fault), (faults) => {
      let armed = false;
      const fs = breakable((call) => {
        if (!armed || !["write", "truncate", "sync", "status", "open", "setMode"].includes(call)) return undefined;
        const next = faults.next().value;
        return call === "write" || next instanceof Error ? next : undefined;
      });
      const folder = temporaryFolder();
      const transcript = open(folder, { fs, durability: "power" });
      armed = true;
      const acknowledged = sampleConversation().filter((message) => transcript.append(message).ok);
      armed = false;
      transcript.close();
      if (acknowledged.length === 0) return;
      const read = readSession(transcript.path);
      const uuids = read.messages.map((message) => message.uuid);
      const results = new Set(["t0-r1", "t0-r2"]);
      expect(
        uuids.filter((uuid) => !results.has(uuid) && acknowledged.some((message) => message.uuid === uuid)),
      ).toEqual(acknowledged.map((message) => message.uuid).filter((uuid) => !results.has(uuid)));
      const resumed = open(folder, { resume: read.resumePoint });
      expect(resumed.append(user("after", "go on"))).toEqual({ ok: true });
      expect(readSession(transcript.path).messages.at(-1)?.uuid).toBe("after");
    }),
    { numRuns: byTestDepth(100, 300) },
  );
});

test.each<[string, (path: string) => void]>([
  ["removed", (path) => rmSync(path)],
  ["moved", (path) => renameSync(path, `${path}.old`)],
  ["replaced by a copy", (path) => (copyFileSync(path, `${path}.new`), renameSync(`${path}.new`, path))],
  ["replaced by a folder", (path) => (rmSync(path), mkdirSync(path))],
])("a transcript that is %s during the session takes no more records, and says so", async (_what, change) => {
  const transcript = open(temporaryFolder());
  appendAll(transcript, [user("u", "hi")]);
  change(transcript.path);
  await nextTurn();
  expect(transcript.append(user("w", "more"))).toEqual({
    ok: false,
    failure: {
      kind: "transcript",
      message:
        `The session's transcript ${transcript.path} could not be written: it was moved, removed or replaced since the ` +
        `session was opened. Put it back where it was, and go on with --resume ${sessionId}.`,
    },
  });
  transcript.close();
});

test.each<[string, (path: string) => void]>([
  ["cut in the middle of a line", (path) => truncateSync(path, statSync(path).size - 20)],
  ["added to, without a line feed,", (path) => appendFileSync(path, '{"hello":1}')],
  ["emptied", (path) => truncateSync(path, 0)],
])("after a transcript was %s during the session, the next record is a line of its own", async (_what, change) => {
  const transcript = open(temporaryFolder());
  appendAll(transcript, [user("u", "hi")]);
  change(transcript.path);
  await nextTurn();
  appendAll(transcript, [user("v", "more"), user("w", "and more")]);
  transcript.close();
  expect(readSession(transcript.path).messages.map(({ uuid }) => uuid)).toEqual(expect.arrayContaining(["v", "w"]));
});

/** In the turn of the event loop in which the file was last looked at, and in a later one. */
const moments = [
  { moment: "at once", comes: () => Promise.resolve(), isLooked: false },
  { moment: "later", comes: nextTurn, isLooked: true },
];
const changes: { what: string; change: (path: string) => void; left: string[] }[] = [
  { what: "added to", change: (path) => appendFileSync(path, '{"by":"somebody"}\n'), left: ['{"by":"somebody"}'] },
  { what: "cut", change: (path) => truncateSync(path, 0), left: [] },
];

test.each(
  moments.flatMap((moment) => changes.flatMap((change) => [0, 30].map((taken) => ({ ...moment, ...change, taken })))),
)(
  "after a transcript was $what by others, a write that fails $moment after $taken bytes removes only its own bytes",
  async ({ change, left, comes, taken, isLooked }) => {
    const strikes: (number | Error)[] = [];
    const fs = breakable((call) => (call === "write" ? strikes.shift() : undefined));
    const transcript = open(temporaryFolder(), { fs: { ...fs, turn: nodeFileSystem.turn } });
    appendAll(transcript, [user("u", "hi")]);
    const before = readFileSync(transcript.path, "utf8");
    change(transcript.path);
    await comes();
    const changed = readFileSync(transcript.path, "utf8");
    strikes.push(...(taken === 0 ? [] : [taken]), systemError("ENOSPC"));
    expect(transcript.append(user("v", "lost")).ok).toBe(false);
    const kept = readFileSync(transcript.path, "utf8");
    expect(kept.slice(0, changed.length)).toBe(changed);
    // Whose the bytes behind it are is known to who has looked.
    expect(kept.length - changed.length).toBe(isLooked ? 0 : taken);
    expect(changed.startsWith(before)).toBe(left.length > 0);
    appendAll(transcript, [user("w", "more")]);
    const text = readFileSync(transcript.path, "utf8");
    const lines = text.split("\n").filter((line) => line !== "" && !(line.startsWith('{"v":') && line.length <= 30));
    expect(lines.slice(0, -1)).toEqual([...(left.length > 0 ? before.trim().split("\n") : []), ...left]);
    expect(lines.at(-1)).toContain('"uuid":"w"');
    expect(text).not.toContain("\u0000");
  },
);

test("a write that took more bytes than the system reported becomes one line that readers skip", () => {
  let isFailing = false;
  const write: TranscriptFileSystem["write"] = (descriptor, bytes, offset, length) => {
    const count = nodeFileSystem.write(descriptor, bytes, offset, isFailing ? 40 : length);
    if (isFailing) throw systemError("EIO");
    return count;
  };
  const transcript = open(temporaryFolder(), { fs: { ...nodeFileSystem, write } });
  appendAll(transcript, [user("u", "hi")]);
  isFailing = true;
  expect(transcript.append(user("v", "lost")).ok).toBe(false);
  isFailing = false;
  appendAll(transcript, [user("w", "more"), user("x", "and more")]);
  const { messages, report } = readSession(transcript.path);
  expect(messages.map(({ uuid }) => uuid)).toEqual(["u", "w", "x"]);
  expect(report).toMatchObject({ badLines: 1, chainBreaks: 0 });
});

test("only the first line in each turn of the event loop checks whether the file is still there", () => {
  let looks = 0;
  let turn = 1;
  const fs = breakable((call) => (call === "statusOf" ? void looks++ : undefined));
  const transcript = open(temporaryFolder(), { fs: { ...fs, turn: () => turn } });
  appendAll(transcript, [user("u", "hi"), user("v", "more")]);
  const atFirst = looks;
  turn++;
  appendAll(transcript, [user("w", "more"), user("x", "more")]);
  expect(looks).toBe(atFirst + 1);
  turn++;
  rmSync(transcript.path);
  expect(transcript.append(user("y", "lost")).ok).toBe(false);
  expect(transcript.append(user("y", "lost")).ok).toBe(false);
  expect(looks).toBe(atFirst + 3);
});

test("every line checks for the file if turns of the event loop are not known", () => {
  let looks = 0;
  const fs = breakable((call) => (call === "statusOf" ? void looks++ : undefined));
  const transcript = open(temporaryFolder(), { fs });
  appendAll(transcript, [user("u", "hi")]);
  const atFirst = looks;
  appendAll(transcript, [user("v", "more"), user("w", "more")]);
  expect(looks).toBe(atFirst + 2);
});
