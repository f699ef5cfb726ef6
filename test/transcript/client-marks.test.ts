// Titles and tags that the session functions of other SDKs append to a transcript.
import { appendFileSync, utimesSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { annotateSession } from "../../src/transcript/annotate-session.ts";
import { readCatalog, type CatalogEntry } from "../../src/transcript/catalog/catalog.ts";
import {
  findSession,
  forkSession,
  listSessions,
  projectFolder,
  readSession,
  transcriptPath,
} from "../../src/transcript/index.ts";
import { appendAll, assistant, boundary, clock, createIds, open, sessionId, temporaryFolder, user } from "./support.ts";

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
    const transcript = open("", { path: kept.path, sessionId, cwd: "/p", resume: readSession(kept.path).resumePoint });
    for (let index = 0; index < 3; index++) appendAll(transcript, [user(`u${index}`, "x".repeat(300_000))]);
    transcript.close();
    expect(await marksOf(kept)).toEqual(Array(4).fill(["Theirs", undefined]));
  });

  test("is kept by a running session, whose next boundary carries it", async () => {
    const kept = createSession();
    const transcript = open("", { path: kept.path, sessionId, cwd: "/p", resume: readSession(kept.path).resumePoint });
    appendAll(transcript, [user("v", "more")]);
    appendFileSync(kept.path, theirs(title));
    appendAll(transcript, [boundary("b", [user("s", "summary")])]);
    expect(await marksOf(kept)).toEqual(Array(4).fill(["Theirs", undefined]));
    transcript.appendMeta("title", { title: "Newest" });
    appendAll(transcript, [user("w", "and more"), boundary("c", [user("t", "summary")])]);
    expect(await marksOf(kept)).toEqual(Array(4).fill(["Newest", undefined]));
    transcript.close();
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
