// Contents kept of changed files, and the notes that name them.
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { hash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { changesSince } from "../../src/transcript/file-changes.ts";
import { keepContent, loadContent } from "../../src/transcript/file-history.ts";
import { fileHistoryFolder, readSession, transcriptPath } from "../../src/transcript/index.ts";
import { forkSession } from "../../src/transcript/fork.ts";
import type { FileChange } from "../../src/transcript/record.ts";
import {
  appendAll,
  assistant,
  boundary,
  breakable,
  clock,
  open,
  result,
  sampleConversation,
  systemError,
  use,
  user,
} from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const bytes = Buffer.from("one\r\ntwo\0\xff", "latin1");
const sha = hash("sha256", bytes, "hex");
const keep = { flush: false };

describe("a kept content", () => {
  test("is stored under its hash, and comes back byte for byte", () => {
    const folder = join(temporaryFolder(), "session", "file-history");
    expect(keepContent(folder, bytes, keep)).toBe(sha);
    expect(keepContent(folder, bytes, keep)).toBe(sha);
    expect(readdirSync(folder)).toEqual([sha]);
    expect(loadContent(folder, sha)?.equals(bytes)).toBe(true);
    expect([statSync(folder).mode & 0o777, statSync(join(folder, sha)).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  test("may be empty", () => {
    const folder = temporaryFolder();
    expect(loadContent(folder, keepContent(folder, Buffer.alloc(0), keep))).toHaveLength(0);
  });

  test("is written once", () => {
    const folder = temporaryFolder();
    keepContent(folder, bytes, keep);
    const fs = breakable((call) => (call === "open" ? systemError("EIO") : undefined));
    expect(keepContent(folder, bytes, { ...keep, fs })).toBe(sha);
  });

  test("is written again if only a part of it is there, beside the remains of a dead process", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, sha), bytes.subarray(0, 3));
    writeFileSync(join(folder, `${sha}.tmp`), "half");
    expect(keepContent(folder, bytes, keep)).toBe(sha);
    expect(readdirSync(folder)).toEqual([sha]);
    expect(loadContent(folder, sha)?.equals(bytes)).toBe(true);
  });

  test("leaves nothing behind if the disk is full, at whatever call", () => {
    for (let broken = 0; ; broken++) {
      const folder = join(temporaryFolder(), "history");
      const fs = breakable((_call, index) => (index === broken ? systemError("ENOSPC") : undefined));
      let failed = false;
      try {
        keepContent(folder, bytes, { flush: true, fs });
      } catch (error) {
        failed = true;
        expect(error).toMatchObject({ code: "ENOSPC" });
      }
      if (!failed) return expect(broken).toBeGreaterThan(5);
      expect(loadContent(folder, sha)).toBeUndefined();
      expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
    }
  });

  test("is complete even if the system takes few bytes at a time", () => {
    const folder = temporaryFolder();
    keepContent(folder, bytes, { ...keep, fs: breakable((call) => (call === "write" ? 2 : undefined)) });
    expect(loadContent(folder, sha)?.equals(bytes)).toBe(true);
  });

  test("that no longer matches its hash is not returned", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, sha), "forged");
    expect(loadContent(folder, sha)).toBeUndefined();
  });
});

const note = (path: string, more: Partial<FileChange> = {}): FileChange => ({
  path,
  hash: sha,
  mode: 0o644,
  messageUuid: "p",
  ...more,
});

describe("changes since a prompt", () => {
  test("are the first of each file, across boundaries and torn ends", () => {
    const transcript = open(temporaryFolder());
    appendAll(transcript, [user("p1", "1")]);
    transcript.appendMeta("file_change", note("/a", { hash: null, messageUuid: "p1" }));
    appendAll(transcript, [user("p2", "2")]);
    transcript.appendMeta("file_change", note("/a", { mode: 0o600, messageUuid: "p2" }));
    appendAll(transcript, [...sampleConversation(), boundary("b", [user("p2", "2")])]);
    appendAll(transcript, [user("p3", "3")]);
    transcript.appendMeta("file_change", note("/b", { hash: null, notKept: "hard_link", messageUuid: "p3" }));
    transcript.appendMeta("file_change", note("/a", { mode: 0o755, messageUuid: "p3" }));
    const since = (uuid: string) =>
      changesSince(transcript.path, uuid)?.changes.map(({ path, hash: kept, mode, notKept }) => [
        path,
        kept,
        mode,
        notKept,
      ]);
    const linked = ["/b", null, 0o644, "hard_link"];
    expect(since("p1")).toEqual([["/a", null, 0o644, undefined], linked]);
    expect(since("p2")).toEqual([["/a", sha, 0o600, undefined], linked]);
    expect(since("p3")).toEqual([linked, ["/a", sha, 0o755, undefined]]);
    expect(since("p4")).toBeUndefined();
    appendFileSync(transcript.path, '{"v":1,"type":"file_change","se');
    expect(changesSince(transcript.path, "p3")).toMatchObject({ damaged: 0, changes: [{}, {}] });
  });

  test("are undefined for a message that is not a prompt", () => {
    const transcript = open(temporaryFolder());
    appendAll(transcript, [user("p", "1"), assistant("a", "m", [use("call")]), result("r", "call"), user("q", "2")]);
    expect(changesSince(transcript.path, "p")).toEqual({ changes: [], damaged: 0 });
    expect(changesSince(transcript.path, "a")).toBeUndefined();
    expect(changesSince(transcript.path, "r")).toBeUndefined();
    // Named by the prompt after it.
    appendAll(transcript, [assistant("b", "n", [{ type: "text", text: "3" }]), user("s", "4")]);
    expect(changesSince(transcript.path, "b")).toBeUndefined();
  });

  test.each<[string, unknown]>([
    ["a path in place of the hash", note("/a", { hash: "../../../etc/passwd" })],
    ["a hash in another format", note("/a", { hash: sha.toUpperCase() })],
    ["a relative path", note("a")],
    ["a path with dots", note("/work/../etc/passwd")],
    ["no path", { hash: null, messageUuid: "p" }],
    ["no hash", { path: "/a", messageUuid: "p" }],
    ["an invalid mode", note("/a", { mode: 1.5 })],
    ["a mode with more bits", note("/a", { mode: 0o100644 })],
    ["an unknown reason", { ...note("/a", { hash: null }), notKept: "whim" }],
    ["a reason and a hash", note("/a", { notKept: "too_large" })],
  ])("count %s as damaged", (_what, data) => {
    const transcript = open(temporaryFolder());
    appendAll(transcript, [user("p", "1")]);
    transcript.appendMeta("file_change", data as FileChange);
    transcript.appendMeta("file_change", note("/b"));
    expect(changesSince(transcript.path, "p")).toMatchObject({ damaged: 1, changes: [{ path: "/b" }] });
  });

  test("are found in a line that a power cut put NUL bytes before", () => {
    const transcript = open(temporaryFolder());
    appendAll(transcript, [user("p", "1")]);
    transcript.appendMeta("file_change", note("/a"));
    const text = readFileSync(transcript.path, "latin1");
    writeFileSync(transcript.path, text.replace(/\n(?=\{"v":1,"type":"(user|file_change)")/g, "\n\0\0"), "latin1");
    expect(changesSince(transcript.path, "p")?.changes).toHaveLength(1);
  });
});

test("a file change does not disturb a resume, and with power durability it is synced before the change", () => {
  let synced = 0;
  const fs = breakable((call) => {
    if (call === "sync") synced++;
    return undefined;
  });
  const transcript = open(temporaryFolder(), { fs, durability: "power" });
  appendAll(transcript, [user("p", "1")]);
  const before = synced;
  transcript.appendMeta("file_change", note("/a"));
  expect(synced).toBe(before + 1);
  transcript.close();
  expect(readSession(transcript.path)).toMatchObject({ messages: [{ uuid: "p" }], report: { badLines: 0, gaps: [] } });
});

describe("a fork", () => {
  const fork = "99999999-2222-4333-8444-555555555555";

  test.each([
    ["shares the saved files by hard links", undefined],
    ["copies the saved files if hard links are not possible", systemError("EPERM")],
  ])("%s", (_what, broken) => {
    const folder = temporaryFolder();
    const transcript = open(folder);
    appendAll(transcript, [user("p", "1")]);
    keepContent(fileHistoryFolder(transcript.path), bytes, keep);
    writeFileSync(join(fileHistoryFolder(transcript.path), "stray.tmp"), "half");
    transcript.appendMeta("file_change", note("/a"));
    transcript.close();
    const fs = breakable((call) => (call === "link" ? broken : undefined));
    const { path } = forkSession(transcript.path, fork, { clock, fs });
    const history = fileHistoryFolder(path);
    expect(readdirSync(history)).toEqual([sha]);
    expect(loadContent(history, sha)?.equals(bytes)).toBe(true);
    expect(statSync(join(history, sha)).nlink).toBe(broken === undefined ? 2 : 1);
    const prompt = readSession(path).messages[0]!.uuid;
    expect(changesSince(path, prompt)?.changes).toEqual([note("/a", { messageUuid: prompt })]);
  });

  test("that cannot copy the kept contents leaves nothing behind", () => {
    const folder = temporaryFolder();
    const transcript = open(folder);
    appendAll(transcript, [user("p", "1")]);
    keepContent(fileHistoryFolder(transcript.path), bytes, keep);
    transcript.close();
    const full = systemError("ENOSPC");
    let isCopying = false;
    const fs = breakable((call) => {
      isCopying ||= call === "link";
      return isCopying && (call === "link" || call === "write") ? full : undefined;
    });
    expect(() => forkSession(transcript.path, fork, { clock, fs })).toThrow(/disk is full/);
    const target = transcriptPath(folder, fork);
    expect(statSync(target, { throwIfNoEntry: false })).toBeUndefined();
    expect(statSync(fileHistoryFolder(target), { throwIfNoEntry: false })).toBeUndefined();
  });
});
