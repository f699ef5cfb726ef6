// The catalogue of sessions: a cache that may be wrong, gone or in use, and never changes what is answered.
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  readCatalog,
  rebuildCatalog,
  type CatalogEntry,
  type CatalogOptions,
} from "../../src/transcript/catalog/catalog.ts";
import { catalogPath } from "../../src/transcript/catalog/database.ts";
import { foldText, parseTerms } from "../../src/transcript/catalog/terms.ts";
import type { Message } from "../../src/protocol/index.ts";
import {
  nodeFileSystem,
  projectFolder,
  transcriptPath,
  type TranscriptFileSystem,
} from "../../src/transcript/index.ts";
import { appendAll, assistant, boundary, idOf, listSessions, open, result, use, user } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const text = (words: string) => [{ type: "text" as const, text: words }];

/** A session of one exchange; answers its path. */
function session(home: string, index: number, asked: string, answered: string, title?: string): string {
  const path = transcriptPath(projectFolder(home, "/p"), idOf(index));
  const transcript = open("", { path, sessionId: idOf(index), cwd: "/p", gitBranch: "main", facts: { source: "cli" } });
  appendAll(transcript, [
    user("c", "of the loop: nothing", { isMeta: true, origin: "context" }),
    user("u", asked, { origin: "human" }),
    assistant("a1", "m1", [use("call")]),
    result("r", "call", "a result that nobody said"),
    assistant("a2", "m2", text(answered)),
  ]);
  if (title !== undefined) transcript.appendMeta("title", { title });
  transcript.close();
  utimesSync(path, 1_000_000 + index, 1_000_000 + index);
  return path;
}

/** Adds a later title, as a rename does. */
function appendTitle(path: string, title: string): void {
  const last = JSON.parse(readFileSync(path, "utf8").trimEnd().split("\n").at(-1)!) as Record<string, unknown>;
  const { v, seq, parentUuid, sessionId, cwd, version } = last;
  const timestamp = "2026-12-20T12:00:00.000Z";
  const line = {
    v,
    type: "title",
    seq: Number(seq) + 1,
    uuid: "title",
    parentUuid,
    timestamp,
    sessionId,
    cwd,
    version,
  };
  appendFileSync(path, `${JSON.stringify({ ...line, isSidechain: false, data: { title } })}\n`);
}

const look = (home: string, more: Pick<CatalogOptions, "search" | "fs" | "passedOver"> = {}): Promise<CatalogEntry[]> =>
  readCatalog({ home, folders: [projectFolder(home, "/p")], ...more });
const idsOf = (entries: readonly CatalogEntry[]) => entries.map(({ sessionId }) => sessionId);

/** Counts what is opened and read. */
function counted(): { fs: TranscriptFileSystem; opened: () => number; bytes: () => number } {
  let [opened, bytes] = [0, 0];
  const fs: TranscriptFileSystem = {
    ...nodeFileSystem,
    open(...given) {
      opened++;
      return nodeFileSystem.open(...given);
    },
    read(...given) {
      const count = nodeFileSystem.read(...given);
      bytes += count;
      return count;
    },
  };
  return { fs, opened: () => opened, bytes: () => bytes };
}

describe("a search", () => {
  test("finds what the user and the model said and titles, in any case and in parts of words, but not tool results", async () => {
    const home = temporaryFolder();
    session(home, 1, "Why does Paginate.js fail?", "It rounds DOWN.");
    session(home, 3, "her zero iron", "of thr ree one");
    session(home, 2, "tidy up", "The größte Ärger is gone. 日本語です。", "Spring cleaning");
    for (const [search, found] of [
      ["paginate", [1]],
      ["gina", [1]],
      ["fail rounds", [1]],
      ['"rounds down"', [1]],
      ['"down rounds"', []],
      ["GRÖSS", []],
      ["GRÖßTE ärger", [2]],
      ["日本", [2]],
      ["is", [2]],
      ["spring tidy", [2]],
      ["nobody", []],
      ["nothing", []],
      ["heron", []],
      ["three", []],
      ["  ", [3, 2, 1]],
      ['a"b', []],
    ] as [string, number[]][]) {
      expect([search, idsOf(await look(home, { search }))]).toEqual([search, found.map(idOf)]);
    }
    expect((await look(home, { search: "rounds" }))[0]).toMatchObject({ match: "It rounds DOWN." });
  });

  test("gives the same answer with the catalogue as by reading everything", async () => {
    const words = fc.constantFrom("heron", "Stork", "ÄRGER", "a", "x-y", '"q"', "日本語", "%_", "I̊", "heronry", "ſ");
    const said = fc.array(words, { minLength: 1, maxLength: 6 }).map((list) => list.join(" "));
    await fc.assert(
      fc.asyncProperty(
        fc.array(said, { minLength: 1, maxLength: 4 }),
        fc.array(words, { maxLength: 3 }),
        async (all, asked) => {
          const home = temporaryFolder();
          all.forEach((each, at) => session(home, at, each, "ok"));
          const search = asked.join(" ");
          const terms = parseTerms(search);
          const expected = all.flatMap((each, at) =>
            terms.every((term) => foldText(each).includes(term) || "ok".includes(term)) ? [idOf(at)] : [],
          );
          expect(idsOf(await look(home, { search })).toSorted()).toEqual(expected);
          expect(idsOf(await look(home, { search })).toSorted()).toEqual(expected);
          rmSync(dirname(catalogPath(home)), { recursive: true });
          writeFileSync(dirname(catalogPath(home)), "no folder");
          expect(idsOf(await look(home, { search })).toSorted()).toEqual(expected);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe("the catalogue entry of a transcript", () => {
  test("needs no reading if the file did not change, and only the added lines if it grew", async () => {
    const home = temporaryFolder();
    const path = session(home, 1, `first ${"x".repeat(200_000)}`, "heron");
    session(home, 2, "second", "stork");
    await look(home);
    const idle = counted();
    expect(await look(home, { fs: idle.fs, search: "heron" })).toHaveLength(1);
    expect([idle.opened(), idle.bytes()]).toEqual([0, 0]);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    appendFileSync(path, `${lines.at(-1)!.replace("heron", "eagle").replaceAll('"a2"', '"a3"')}\n`);
    const grown = counted();
    expect(idsOf(await look(home, { fs: grown.fs, search: "eagle heron" }))).toEqual([idOf(1)]);
    expect(grown.opened()).toBe(1);
    expect(grown.bytes()).toBeLessThan(2_000);
  });

  test("has the time of the last message, which neither a touch nor a title changes", async () => {
    const home = temporaryFolder();
    const hours = [3, 1, 2];
    const times = hours.map((hour) => Date.parse("2026-11-20T12:00:00.000Z") + hour * 3_600_000);
    const paths = times.map((time, at) => {
      const path = session(home, at, `asked ${at}`, "heron");
      const now = new Date(time).toISOString();
      writeFileSync(path, readFileSync(path, "utf8").replaceAll("2026-11-20T12:00:00.000Z", now));
      utimesSync(path, 1_000_000 + at, 1_000_000 + at);
      return path;
    });
    const newestFirst = [idOf(0), idOf(2), idOf(1)];
    const sorted = [times[0], times[2], times[1]];
    for (const change of [
      () => undefined,
      () => utimesSync(paths[1]!, 2_000_000, 2_000_000),
      () => appendTitle(paths[1]!, "Named"),
    ]) {
      change();
      const listed = await look(home);
      expect(idsOf(listed)).toEqual(newestFirst);
      expect(listed.map(({ lastMessageAt }) => lastMessageAt)).toEqual(sorted);
      expect(idsOf(await look(home, { search: "heron" }))).toEqual(newestFirst);
    }
    expect((await look(home)).at(-1)).toMatchObject({ title: "Named" });
    // A file that does not tell counts by its own time.
    writeFileSync(transcriptPath(projectFolder(home, "/p"), idOf(4)), "damaged\n");
    expect(idsOf(await look(home))).toEqual([idOf(4), ...newestFirst]);
  });

  test("is rebuilt if the file was rewritten, and forgets the earlier text", async () => {
    const home = temporaryFolder();
    const path = session(home, 1, "first", "heron");
    await look(home);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("heron", "eagle"));
    expect(await look(home, { search: "heron" })).toEqual([]);
    expect(await look(home, { search: "eagle" })).toHaveLength(1);
    rmSync(path);
    expect(await look(home)).toEqual([]);
    expect(readFileSync(catalogPath(home)).includes("eagle")).toBe(false);
  });

  test("covers what is readable beside broken lines, a torn end and a boundary", async () => {
    const home = temporaryFolder();
    const path = session(home, 1, "asked", "heron", "Title");
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    writeFileSync(
      path,
      [`\u0000${lines[0]}`, "rubbish", "{}", ...lines.slice(1), '{"v":1,"type":"user","mess'].join("\n"),
    );
    expect((await look(home))[0]).toMatchObject({
      title: "Title",
      firstPrompt: "asked",
      prompts: 1,
      gitBranch: "main",
    });
    appendFileSync(path, "\n");
    const transcript = open("", { path: transcriptPath(projectFolder(home, "/p"), idOf(2)), sessionId: idOf(2) });
    appendAll(transcript, [user("u", "before"), boundary("b", [user("s", "summary")]), user("n", "behind")]);
    expect((await look(home, { search: "before behind" }))[0]).toMatchObject({ prompts: 2, lastPrompt: "behind" });
    expect(await look(home, { search: "heron" })).toHaveLength(1);
    expect(await look(home, { search: "summary" })).toEqual([]);
  });

  test("never names or contains a prompt that a hook retracted", async () => {
    const home = temporaryFolder();
    const folder = projectFolder(home, "/p");
    const transcript = open("", { path: transcriptPath(folder, idOf(1)), sessionId: idOf(1), cwd: "/p" });
    const out = (uuid: string, target: string): Message => {
      return { type: "tombstone", uuid, timestamp: new Date(0).toISOString(), targets: [target], reason: "refusal" };
    };
    appendAll(transcript, [user("u1", "hunter1", { origin: "human" })]);
    expect(await look(home)).toMatchObject([{ firstPrompt: "hunter1" }]);
    appendAll(transcript, [out("t1", "u1"), user("u2", "hunter2", { origin: "human" }), out("t2", "u2")]);
    expect((await look(home))[0]).toMatchObject({ prompts: 0 });
    expect((await look(home))[0]?.firstPrompt).toBeUndefined();
    expect(listSessions(folder)[0]?.firstPrompt).toBeUndefined();
    appendAll(transcript, [user("u3", "go on", { origin: "human" }), assistant("a", "m", text("gone on"))]);
    appendAll(transcript, [user("u4", "hunter3", { origin: "human" }), out("t4", "u4")]);
    expect(await look(home)).toMatchObject([{ firstPrompt: "go on", lastPrompt: "go on", prompts: 1 }]);
    expect(listSessions(folder)).toMatchObject([{ firstPrompt: "go on" }]);
    expect(await look(home, { search: "hunter" })).toEqual([]);
    expect(await look(home, { search: "gone" })).toHaveLength(1);
    await rebuildCatalog({ home, folders: [folder] });
    expect(await look(home, { search: "hunter" })).toEqual([]);
  });
});

describe("a catalogue that is", () => {
  const bad: [what: string, spoil: (path: string) => void][] = [
    ["garbage", (path) => writeFileSync(path, "garbage ".repeat(5_000))],
    ["cut short", (path) => truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096)],
    ["cut in its first page", (path) => truncateSync(path, 50)],
    ["empty", (path) => truncateSync(path, 0)],
    ["gone", (path) => rmSync(path)],
    ["of another version", (path) => run(path, "PRAGMA user_version = 99")],
    ["of an earlier version, which took little from today's lines", (path) => run(path, ofEarlierVersion)],
    ["of other tables", (path) => run(path, "DROP TABLE said")],
    ["without its index", (path) => run(path, "DROP TABLE said_index")],
    ["with broken rows", (path) => run(path, "UPDATE session SET digest = '{'")],
    ["with wrong rows", (path) => run(path, `UPDATE session SET digest = '{"prompts":1,"title":7}'`)],
    ["overwritten in the middle", (path) => overwrite(path)],
    ["a folder", (path) => (rmSync(path), mkdirSync(join(path, "x"), { recursive: true }))],
    ["a link to another place", (path) => (rmSync(path), symlinkSync("/etc/hostname", path))],
  ];

  /** It did not know prompts whose words are a plain text. */
  const ofEarlierVersion = `UPDATE session SET digest = '{"prompts":0}'; DELETE FROM said; PRAGMA user_version = 1`;

  function run(path: string, sql: string): void {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  }

  function overwrite(path: string): void {
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 4096, bytes.length - 100);
    writeFileSync(path, bytes);
  }

  test.each(bad)("%s does not change any answer, and is repaired if possible", async (what, spoil) => {
    const home = temporaryFolder();
    for (let index = 0; index < 10; index++)
      session(home, index, `asked ${index} ${"word ".repeat(50)}`, "heron", `T${index}`);
    const before = await look(home);
    expect(before).toHaveLength(10);
    spoil(catalogPath(home));
    expect(await look(home)).toEqual(before);
    expect(idsOf(await look(home, { search: '"asked 7 "' }))).toEqual([idOf(7)]);
    if (/link|folder/.test(what)) return;
    expect(statSync(catalogPath(home)).mode & 0o777).toBe(0o600);
    const idle = counted();
    expect(await look(home, { fs: idle.fs })).toEqual(before);
    expect(idle.opened()).toBe(0);
  });

  test("locked by another process is waited for briefly, and then not used", async () => {
    const home = temporaryFolder();
    session(home, 1, "asked", "heron");
    await look(home);
    session(home, 2, "asked", "stork");
    const other = new DatabaseSync(catalogPath(home));
    for (const lock of ["EXCLUSIVE", "IMMEDIATE"]) {
      other.exec(`BEGIN ${lock}`);
      expect(idsOf(await look(home, { search: "asked" }))).toEqual([idOf(2), idOf(1)]);
      expect(idsOf(await look(home, { search: "stork" }))).toEqual([idOf(2)]);
      other.exec("ROLLBACK");
    }
    other.close();
    expect(await look(home, { search: "stork" })).toHaveLength(1);
  });

  test("in a read-only home is read if there, and otherwise not used", async () => {
    const home = temporaryFolder();
    session(home, 1, "asked", "heron");
    await look(home);
    session(home, 2, "asked", "stork");
    const folders = [dirname(catalogPath(home)), home];
    chmodSync(catalogPath(home), 0o400);
    for (const folder of folders) chmodSync(folder, 0o500);
    expect(idsOf(await look(home, { search: "asked" }))).toEqual([idOf(2), idOf(1)]);
    for (const folder of folders.toReversed()) chmodSync(folder, 0o700);
    rmSync(catalogPath(home));
    for (const folder of folders) chmodSync(folder, 0o500);
    expect(idsOf(await look(home, { search: "heron" }))).toEqual([idOf(1)]);
    for (const folder of folders.toReversed()) chmodSync(folder, 0o700);
  });

  test("created by several readers at once contains every session once", async () => {
    const home = temporaryFolder();
    for (let index = 0; index < 20; index++) session(home, index, `asked ${index}`, "heron");
    const all = await Promise.all(Array.from({ length: 4 }, () => look(home, { search: "heron" })));
    for (const each of all) expect(each).toHaveLength(20);
    const database = new DatabaseSync(catalogPath(home), { readOnly: true });
    expect(database.prepare("SELECT count(*) AS count FROM said").get()?.["count"]).toBe(20);
    database.close();
  });

  test("requested anew is rebuilt", async () => {
    const home = temporaryFolder();
    session(home, 1, "asked", "heron");
    expect(await rebuildCatalog({ home, folders: [projectFolder(home, "/p")] })).toBe(1);
    expect(existsSync(catalogPath(home))).toBe(true);
  });

  // Seen in a container whose home is read-only: "16 sessions are in the index", and there was none.
  test("does not count as rebuilt if it cannot be written", async () => {
    const home = temporaryFolder();
    const folders = [projectFolder(home, "/p")];
    expect(await rebuildCatalog({ home, folders })).toBe(0);
    session(home, 1, "asked", "heron");
    writeFileSync(dirname(catalogPath(home)), "in the way of its folder");
    expect(await rebuildCatalog({ home, folders })).toBeUndefined();
    expect(await look(home)).toHaveLength(1);
  });
});

test("a folder or file that may not be read is ignored and reported", async () => {
  const home = temporaryFolder();
  session(home, 1, "Fix the parser", "Fixed.");
  const refuse = (path: string): never => {
    throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES", path });
  };
  const told: string[] = [];
  const asked = { passedOver: (text: string) => void told.push(text) };
  expect(await look(home, { ...asked, fs: { ...nodeFileSystem, list: refuse } })).toEqual([]);
  expect(await look(home, { ...asked, fs: { ...nodeFileSystem, open: refuse } })).toEqual([]);
  expect(told).toEqual([
    `${projectFolder(home, "/p")} was ignored: permission denied (EACCES).`,
    expect.stringMatching(/\.jsonl could not be opened: permission denied \(EACCES\)\.$/),
  ]);
  expect(idsOf(await look(home))).toHaveLength(1);
});
