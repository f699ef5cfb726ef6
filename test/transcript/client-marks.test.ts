// Titles and tags that the session functions of other SDKs append to a transcript.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { annotateSession } from "../../src/transcript/annotate-session.ts";
import { readCatalog, type CatalogEntry } from "../../src/transcript/catalog/catalog.ts";
import {
  findSession,
  projectFolder,
  readSession,
  transcriptPath,
  type Transcript,
} from "../../src/transcript/index.ts";
import { forkSession } from "../../src/transcript/fork.ts";
import { appendAll, assistant, boundary, clock, createIds, listSessions, open, sessionId, user } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Kept {
  home: string;
  path: string;
}

function createSession(): Kept {
  const home = temporaryFolder();
  const path = transcriptPath(projectFolder(home, "/p"), sessionId);
  const transcript = open("", { path, sessionId, cwd: "/p", facts: { source: "cli" } });
  appendAll(transcript, [user("u", "asked"), assistant("a", "m", [{ type: "text" as const, text: "done" }])]);
  transcript.appendMeta("title", { title: "Own" });
  transcript.close();
  return { home, path };
}

async function listed(home: string): Promise<CatalogEntry | undefined> {
  return (await readCatalog({ home, folders: [projectFolder(home, "/p")] }))[0];
}

/** As the list, the head of the list and the resumed session show them; the list is read anew and from its index. */
async function marksOf({ home, path }: Kept): Promise<unknown[]> {
  const own = listSessions(projectFolder(home, "/p"))[0];
  const all = [await listed(home), await listed(home), own, readSession(path)];
  return all.map((each) => [each?.title, each?.tag ?? undefined]);
}

const copyId = "22222222-2222-4333-8444-555555555555";
const theirs = (entry: object): string => `${JSON.stringify({ ...entry, sessionId })}\n`;
const [title, tag] = [
  { type: "custom-title", customTitle: "Theirs" },
  { type: "tag", tag: "grey" },
];

function resumed({ path }: Kept): Transcript {
  return open("", { path, sessionId, cwd: "/p", resume: readSession(path).resumePoint });
}

/** As the session functions of other SDKs find them: by how a line begins, in 64 KB at each end. */
function foundByClients(path: string): unknown[] {
  const text = readFileSync(path, "latin1");
  const find = (part: string, start: string): Record<string, unknown> | undefined => {
    const line = part.split("\n").findLast((each) => each.startsWith(start));
    return line === undefined ? undefined : (JSON.parse(line) as Record<string, unknown>);
  };
  const tail = text.slice(-65_536);
  const title = find(tail, '{"type":"custom-title"') ?? find(text.slice(0, 65_536), '{"type":"custom-title"');
  return [title?.["customTitle"], find(tail, '{"type":"tag"')?.["tag"]];
}

// Seen: the session functions of the SDKs for TypeScript and Python showed no title and no tag that was set here.
describe("a title or a tag of the session's own", () => {
  test("is found by the session functions of other SDKs, the newest first", async () => {
    const kept = createSession();
    expect(foundByClients(kept.path)).toEqual(["Own", undefined]);
    annotateSession(kept.path, "tag", { tag: "grey" }, { clock, ids: createIds() });
    appendFileSync(kept.path, theirs(title));
    expect(foundByClients(kept.path)).toEqual(["Theirs", "grey"]);
    annotateSession(kept.path, "title", { title: 'New "est"' }, { clock, ids: createIds() });
    annotateSession(kept.path, "tag", { tag: null }, { clock, ids: createIds() });
    expect(foundByClients(kept.path)).toEqual(['New "est"', ""]);
    expect(await marksOf(kept)).toEqual(Array(4).fill(['New "est"', undefined]));
  });

  test("is found by them however much was said since, also if they changed it meanwhile", () => {
    const kept = createSession();
    annotateSession(kept.path, "tag", { tag: "grey" }, { clock, ids: createIds() });
    const transcript = resumed(kept);
    for (let index = 0; index < 3; index++) appendAll(transcript, [user(`u${index}`, "x".repeat(300_000))]);
    transcript.close();
    expect(foundByClients(kept.path)).toEqual(["Own", "grey"]);
    const next = resumed(kept);
    appendAll(next, [user("v", "x".repeat(300_000))]);
    appendFileSync(kept.path, theirs(title));
    appendAll(next, [user("w", "x".repeat(300_000))]);
    next.close();
    expect(foundByClients(kept.path)).toEqual(["Theirs", "grey"]);
    const idle = readFileSync(kept.path).length;
    resumed(kept).close();
    expect(readFileSync(kept.path)).toHaveLength(idle);
  });

  // Seen: a name that was given at the end of a long session hid its tag from them.
  test("is found by them however late the other one was set, in the session or from outside", () => {
    const kept = createSession();
    annotateSession(kept.path, "tag", { tag: "grey" }, { clock, ids: createIds() });
    const transcript = resumed(kept);
    appendAll(transcript, [user("v", "x".repeat(100_000))]);
    transcript.appendMeta("title", { title: "Late" });
    transcript.close();
    expect(foundByClients(kept.path)).toEqual(["Late", "grey"]);
    const next = resumed(kept);
    appendAll(next, [user("w", "x".repeat(100_000))]);
    next.close();
    annotateSession(kept.path, "tag", { tag: "green" }, { clock, ids: createIds() });
    expect(foundByClients(kept.path)).toEqual(["Late", "green"]);
  });

  test("is found by them in a session whose characters take three bytes each", () => {
    const kept = createSession();
    annotateSession(kept.path, "tag", { tag: "grey" }, { clock, ids: createIds() });
    const transcript = resumed(kept);
    for (let index = 0; index < 4; index++) appendAll(transcript, [user(`u${index}`, "字".repeat(10_000))]);
    transcript.close();
    expect(foundByClients(kept.path)).toEqual(["Own", "grey"]);
  });

  test("is found by them after the next run if the process died before their line was written", () => {
    const kept = createSession();
    const lines = readFileSync(kept.path, "utf8").trimEnd().split("\n");
    writeFileSync(
      kept.path,
      lines
        .slice(0, -1)
        .map((line) => `${line}\n`)
        .join(""),
    );
    expect(foundByClients(kept.path)).toEqual([undefined, undefined]);
    const transcript = resumed(kept);
    appendAll(transcript, [user("v", "more")]);
    transcript.close();
    expect(foundByClients(kept.path)).toEqual(["Own", undefined]);
  });

  test("is repeated only where they no longer find it, however often the session is continued", () => {
    const kept = createSession();
    annotateSession(kept.path, "tag", { tag: null }, { clock, ids: createIds() });
    for (let index = 0; index < 40; index++) {
      const transcript = resumed(kept);
      appendAll(transcript, [user(`u${index}`, "x".repeat(3_000))]);
      transcript.close();
    }
    const text = readFileSync(kept.path, "utf8");
    expect(text.split('{"type":"custom-title"').length - 1).toBe(3);
    expect(text.split('{"type":"tag"').length - 1).toBe(1);
  });

  test("keeps what is longer here than a client's line may be", () => {
    const kept = createSession();
    const long = "long ".repeat(200);
    annotateSession(kept.path, "title", { title: long }, { clock, ids: createIds() });
    expect(readSession(kept.path).title).toBe(long);
  });

  test("comes after the line that a reader of stored entries takes for a tag that was taken off", () => {
    const { path } = createSession();
    annotateSession(path, "tag", { tag: "grey" }, { clock, ids: createIds() });
    const copy = forkSession(path, copyId, { clock });
    for (const file of [path, copy.path]) {
      const entries = readFileSync(file, "utf8").trimEnd().split("\n");
      const tags = entries
        .map((entry) => JSON.parse(entry) as { type: string; tag?: unknown })
        .filter(({ type }) => type === "tag");
      expect(tags.map((entry) => entry.tag)).toEqual([undefined, "grey"]);
    }
  });

  test("is in a copy once, and found there", () => {
    const { path } = createSession();
    annotateSession(path, "tag", { tag: "grey" }, { clock, ids: createIds() });
    const copy = forkSession(path, copyId, { clock });
    const again = forkSession(copy.path, copyId.replace("2", "3"), { clock, title: "Copy" });
    expect([foundByClients(copy.path), foundByClients(again.path)]).toEqual([
      ["Own", "grey"],
      ["Copy", "grey"],
    ]);
    const count = (file: string): number => readFileSync(file, "utf8").split('"tag":"grey"').length - 1;
    expect([count(path), count(copy.path), count(again.path)]).toEqual([2, 2, 2]);
  });

  test("is found in the copy of a long session", () => {
    const kept = createSession();
    annotateSession(kept.path, "tag", { tag: "grey" }, { clock, ids: createIds() });
    const transcript = resumed(kept);
    for (let index = 0; index < 4; index++) appendAll(transcript, [user(`u${index}`, "字".repeat(10_000))]);
    transcript.close();
    expect(foundByClients(forkSession(kept.path, copyId, { clock }).path)).toEqual(["Own", "grey"]);
  });

  test("is in a copy as it was last, although one in between has no line for clients", () => {
    const { path } = createSession();
    for (const title of ["long ".repeat(200), "Own"])
      annotateSession(path, "title", { title }, { clock, ids: createIds() });
    const copy = forkSession(path, copyId, { clock });
    expect([readSession(copy.path).title, foundByClients(copy.path)[0]]).toEqual(["Own", "Own"]);
  });
});

describe("a client's title or tag in a transcript", () => {
  test.each<[string, string, unknown[]]>([
    ["a title", theirs(title), ["Theirs", undefined]],
    ["a tag", theirs(tag), ["Own", "grey"]],
    ["both", theirs(title) + theirs(tag), ["Theirs", "grey"]],
    ["a tag that was taken off", theirs(tag) + theirs({ type: "tag", tag: "" }), ["Own", undefined]],
    [
      "a line with blanks",
      `{"type": "custom-title", "customTitle": "Theirs", "sessionId": "${sessionId}"}\n`,
      ["Theirs", undefined],
    ],
    [
      "fields in another order",
      `{"customTitle":"Theirs","sessionId":"x","type":"custom-title"}\n`,
      ["Theirs", undefined],
    ],
    ["a title of several lines", theirs({ ...title, customTitle: "The\u001b[31m\nirs " }), ["The irs", undefined]],
    ["a title without a visible character", theirs({ ...title, customTitle: " \n" }), ["Own", undefined]],
    ["a title of a line that is too long", theirs({ ...title, customTitle: "T".repeat(20_000) }), ["Own", undefined]],
    ["a line of another kind", theirs({ type: "last-prompt", lastPrompt: "asked" }), ["Own", undefined]],
  ])("counts in every list: %s", async (_, text, expected) => {
    const kept = createSession();
    await listed(kept.home);
    appendFileSync(kept.path, text);
    expect(await marksOf(kept)).toEqual(Array(4).fill(expected));
  });

  test("is replaced by a later one of the session's own", async () => {
    const kept = createSession();
    appendFileSync(kept.path, theirs(title) + theirs(tag));
    annotateSession(kept.path, "title", { title: "Newest" }, { clock, ids: createIds() });
    expect(await marksOf(kept)).toEqual(Array(4).fill(["Newest", "grey"]));
  });

  test("counts however much was said since", async () => {
    const kept = createSession();
    appendFileSync(kept.path, theirs(title));
    const transcript = resumed(kept);
    for (let index = 0; index < 3; index++) appendAll(transcript, [user(`u${index}`, "x".repeat(300_000))]);
    transcript.close();
    expect(await marksOf(kept)).toEqual(Array(4).fill(["Theirs", undefined]));
  });

  test("is kept by a running session, whose next boundary carries it", async () => {
    const kept = createSession();
    const transcript = resumed(kept);
    appendAll(transcript, [user("v", "more")]);
    appendFileSync(kept.path, theirs(title));
    appendAll(transcript, [boundary("b", [user("s", "summary")])]);
    expect(await marksOf(kept)).toEqual(Array(4).fill(["Theirs", undefined]));
    transcript.appendMeta("title", { title: "Newest" });
    appendAll(transcript, [user("w", "and more"), boundary("c", [user("t", "summary")])]);
    expect(await marksOf(kept)).toEqual(Array(4).fill(["Newest", undefined]));
    transcript.close();
  });

  // Seen: a name given by an editor while a resumed session waited for its first prompt was taken back when the session ended.
  test("is kept if it comes between the reading of the session and its first record", async () => {
    const kept = createSession();
    const first = resumed(kept);
    appendFileSync(kept.path, theirs(title));
    appendAll(first, [user("v", "x".repeat(100_000))]);
    first.close();
    expect([await marksOf(kept), foundByClients(kept.path)]).toEqual([
      Array(4).fill(["Theirs", undefined]),
      ["Theirs", undefined],
    ]);
    const second = resumed(kept);
    appendFileSync(kept.path, theirs(tag));
    appendAll(second, [boundary("b", [user("s", "summary")])]);
    second.close();
    expect(await marksOf(kept)).toEqual(Array(4).fill(["Theirs", "grey"]));
  });

  test.each([
    [undefined, "Theirs"],
    ["Copy", "Copy"],
  ])("is in a copy as one of the session's own is (the copy's own title: %s)", (own, expected) => {
    const { path } = createSession();
    appendFileSync(path, theirs(title) + theirs(tag));
    const copy = forkSession(path, copyId, { clock, ...(own === undefined ? {} : { title: own }) });
    expect(readSession(copy.path)).toMatchObject({ title: expected, tag: "grey", report: { badLines: 0, gaps: [] } });
  });

  // Seen: a copy of a session that an SDK had archived was archived for that SDK too.
  test("stays with the original if it says that the session is archived", () => {
    const { path } = createSession();
    const folder = path.replace(/\.jsonl$/u, "");
    mkdirSync(folder);
    for (const name of ["archived.json", "tasks.json"]) writeFileSync(join(folder, name), '{"archived":true}');
    const copy = forkSession(path, copyId, { clock });
    expect(readdirSync(copy.path.replace(/\.jsonl$/u, ""))).toEqual(["tasks.json"]);
  });

  test("names the session for --resume and for a search, and makes it no newer", async () => {
    const { home, path } = createSession();
    const at = (await listed(home))?.lastMessageAt;
    appendFileSync(path, theirs({ ...title, timestamp: "2030-01-01T00:00:00.000Z" }));
    utimesSync(path, 2_000_000_000, 2_000_000_000);
    expect(findSession("Theirs", { home, cwd: "/p" }).path).toBe(path);
    expect(await readCatalog({ home, folders: [projectFolder(home, "/p")], search: "theirs" })).toHaveLength(1);
    expect((await listed(home))?.lastMessageAt).toBe(at);
  });
});
