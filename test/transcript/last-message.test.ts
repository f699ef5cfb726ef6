// When something was said last in a session, whatever else is at the end of its file: lists and `--continue` must agree.
import { appendFileSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readCatalog, type CatalogEntry } from "../../src/transcript/catalog/catalog.ts";
import {
  newestSession,
  nodeFileSystem,
  projectFolder,
  readLastMessageTime,
  transcriptPath,
  type TranscriptFileSystem,
} from "../../src/transcript/index.ts";
import { appendAll, assistant, open, user } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const sessionId = "11111111-2222-4333-8444-000000000001";
const said = Date.parse("2026-11-20T12:00:00.000Z");
const later = "2026-11-25T12:00:00.000Z";
const fileTime = 2_000_000_000;

function createSession(home: string, id = sessionId): string {
  const path = transcriptPath(projectFolder(home, "/p"), id);
  const transcript = open("", { path, sessionId: id, cwd: "/p", facts: { source: "cli" } });
  appendAll(transcript, [
    user("u", "asked", { origin: "human" }),
    assistant("a", "m", [{ type: "text" as const, text: "done" }]),
  ]);
  transcript.close();
  return path;
}

async function listed(home: string): Promise<CatalogEntry | undefined> {
  return (await readCatalog({ home, folders: [projectFolder(home, "/p")] }))[0];
}

/** The last line of the file, as if it had been recorded later. */
function laterLine(path: string, change: object = {}): string {
  const last = JSON.parse(readFileSync(path, "utf8").trimEnd().split("\n").at(-1)!) as object;
  return `${JSON.stringify({ ...last, timestamp: later, ...change })}\n`;
}

const titleLine = (path: string): string =>
  laterLine(path, { type: "title", uuid: "t", message: undefined, data: { title: "T" } });
const torn = (line: string): string => line.slice(0, 60);

const endings: [what: string, text: (path: string) => string, time: number][] = [
  ["a title", titleLine, said],
  ["the beginning of a message", (path) => torn(laterLine(path)), said],
  ["the beginning of a message that a later process ended", (path) => `${torn(laterLine(path))}\n`, said],
  ["such a beginning and a title", (path) => `${torn(laterLine(path))}\n${titleLine(path)}`, said],
  ["the beginning of a title", (path) => torn(titleLine(path)), said],
  ["a record of a later version", (path) => laterLine(path, { type: "news" }), said],
  ["zeros that a power cut left", () => "\0".repeat(100), said],
  ["such zeros and a message", (path) => `${"\0".repeat(100)}${laterLine(path)}`, Date.parse(later)],
  ["such zeros and a title", (path) => `${"\0".repeat(100)}${titleLine(path)}`, said],
  ["text and an empty line", () => "hello\n\n", said],
  ["a message without a line feed", (path) => laterLine(path).trimEnd(), Date.parse(later)],
];

describe("the time of the last message", () => {
  test.each(endings)("is that of the last readable one before %s, wherever it is read", async (_, text, time) => {
    const homes = [temporaryFolder(), temporaryFolder()];
    const paths = homes.map((home) => createSession(home));
    // The one catalogue has read the file before, the other reads it anew.
    await listed(homes[0]!);
    for (const path of paths) {
      appendFileSync(path, text(path));
      utimesSync(path, fileTime, fileTime);
    }
    for (const home of homes) expect((await listed(home))?.lastMessageAt).toBe(time);
    const [path] = paths as [string];
    const file = { sessionId, path, sizeBytes: statSync(path).size, modifiedAt: fileTime * 1_000 };
    expect(readLastMessageTime(file)).toBe(time);
  });

  // `--continue` looks at all sessions of a folder.
  test("is found by reading no more than the end of the file", () => {
    const path = createSession(temporaryFolder());
    appendFileSync(path, laterLine(path).repeat(200));
    let bytesRead = 0;
    const read: TranscriptFileSystem["read"] = (...request) => {
      const count = nodeFileSystem.read(...request);
      bytesRead += count;
      return count;
    };
    const file = { sessionId, path, sizeBytes: statSync(path).size, modifiedAt: 0 };
    expect(file.sizeBytes).toBeGreaterThan(50_000);
    expect(readLastMessageTime(file, { ...nodeFileSystem, read })).toBe(Date.parse(later));
    expect(bytesRead).toBeLessThan(6_000);
  });

  test("is that of the file if nothing in it can be read", () => {
    const path = createSession(temporaryFolder());
    writeFileSync(path, "x\n".repeat(1_000));
    const file = { sessionId, path, sizeBytes: statSync(path).size, modifiedAt: 5 };
    expect(readLastMessageTime(file)).toBe(5);
  });

  // Seen: a folder was restored with the times at which its copies were made, and --continue took the session before.
  test("decides which session is continued, even if the files are older than what was said in them", async () => {
    const home = temporaryFolder();
    const newerId = sessionId.replace(/1$/, "2");
    const [older, newer] = [createSession(home), createSession(home, newerId)] as const;
    appendFileSync(newer, laterLine(newer));
    utimesSync(older, 1_700_000_000, 1_700_000_000);
    utimesSync(newer, 1_600_000_000, 1_600_000_000);
    expect(newestSession({ home, cwd: "/p" })?.sessionId).toBe(newerId);
    expect((await listed(home))?.sessionId).toBe(newerId);
    // Even if the older file seems newer than all that was said.
    utimesSync(older, fileTime, fileTime);
    expect(newestSession({ home, cwd: "/p" })?.sessionId).toBe(newerId);
  });
});
