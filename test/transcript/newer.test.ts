import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { annotateSession } from "../../src/transcript/annotate-session.ts";
import { describeReport, readSession } from "../../src/transcript/index.ts";
import { describeSkipped, forkSession } from "../../src/transcript/fork.ts";
import { nodeFileSystem } from "../../src/transcript/file-system.ts";
import { RunReader } from "../../src/transcript/runs.ts";
import { appendAll, assistant, clock, createIds, open, sessionId, user } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A line as a version to come may write it. */
const novel = (more: object) =>
  `${JSON.stringify({
    v: 1,
    type: "mood",
    seq: 2,
    uuid: "n",
    parentUuid: "u",
    sessionId,
    timestamp: "",
    cwd: "/",
    version: "9.0.0",
    data: { mood: "fine" },
    ...more,
  })}\n`;

const copyId = "22222222-2222-4333-8444-555555555555";
const said = " of a kind that only a newer version of pawl knows, and ";

/** A prompt, then these lines. */
function withNovel(...lines: string[]): string {
  const transcript = open(temporaryFolder());
  appendAll(transcript, [user("u", "hi")]);
  transcript.close();
  for (const line of lines) appendFileSync(transcript.path, line);
  return transcript.path;
}

function goOn(path: string): void {
  const transcript = open(path.slice(0, path.lastIndexOf("/")), { resume: readSession(path).resumePoint });
  appendAll(transcript, [assistant("w", "m", [{ type: "text", text: "more" }])]);
  transcript.close();
}

test.each([
  ["a fact", novel({})],
  ["a message", novel({ type: "novelty", message: { type: "novelty", uuid: "n", timestamp: "" } })],
  ["a kind of system line", novel({ type: "system", subtype: "novelty", message: { type: "novelty", uuid: "n" } })],
  ["a name of every object's", novel({ type: "constructor" })],
  ["a form to come", novel({ v: 2 })],
])("a session with %s of a newer version is not called damaged, and continues with the next number", (_name, line) => {
  const path = withNovel(line);
  goOn(path);
  const { messages, report } = readSession(path);
  expect(messages.map(({ uuid }) => uuid)).toEqual(["u", "w"]);
  expect(report).toMatchObject({ badLines: 1, gaps: [] });
  expect(describeReport(report)).toBe(`1 line of the transcript is${said}is ignored.`);
  expect(readFileSync(path, "utf8")).toContain(line);
  expect(numbersIn(path)).toEqual([0, 1, 2, 3]);
});

test("damaged lines are reported separately from lines of a newer version", () => {
  const path = withNovel(novel({}), novel({ seq: 3, uuid: "o" }), "{{{\n");
  expect(describeReport(readSession(path).report)).toBe(
    `The transcript was damaged: 1 unreadable line was skipped. 2 lines of the transcript are${said}are ignored.`,
  );
});

test("a title added after lines of a newer version is numbered after them", () => {
  const path = withNovel(novel({}), novel({ seq: 3, uuid: "o" }));
  annotateSession(path, "title", { title: "named" }, { clock, ids: createIds() });
  expect(numbersIn(path)).toEqual([0, 1, 2, 3, 4]);
  expect(readSession(path)).toMatchObject({ title: "named", report: { gaps: [] } });
});

test("a last line of a newer version without its line feed is kept", () => {
  const path = withNovel(novel({}).trimEnd());
  goOn(path);
  expect(readFileSync(path, "utf8")).toContain(novel({}));
  expect(readSession(path).report).toMatchObject({ badLines: 1, gaps: [] });
});

test("a line of a known type that this version cannot read keeps its number", () => {
  const message = { ...user("n", "later"), origin: "schedule" };
  const path = withNovel(novel({ type: "user", message }));
  annotateSession(path, "title", { title: "named" }, { clock, ids: createIds() });
  goOn(path);
  expect(numbersIn(path)).toEqual([0, 1, 2, 3, 4]);
  const { report } = readSession(path);
  expect(describeReport(report)).toBe("The transcript was damaged: 1 unreadable line was skipped.");
});

test("a copy reports lines of a newer version that it lacks, and does not call them damage", () => {
  const path = withNovel(novel({}));
  expect(describeSkipped(forkSession(path, copyId, { clock }))).toBe(
    `1 line of the original is${said}is not in the copy.`,
  );
});

test("a session in which this version can read no message is not copied, and nothing is left behind", () => {
  const folder = temporaryFolder();
  const path = join(folder, `${sessionId}.jsonl`);
  writeFileSync(path, novel({}));
  expect(() => forkSession(path, copyId, { clock })).toThrow("was written by a newer version of pawl");
  expect(readdirSync(folder)).toEqual([`${sessionId}.jsonl`]);
});

test("a copy does not report a client's title line as damage", () => {
  const path = withNovel(`${JSON.stringify({ type: "custom-title", customTitle: "theirs", sessionId })}\n`);
  expect(describeSkipped(forkSession(path, copyId, { clock }))).toBeUndefined();
});

test("a recorded run is whole even if it contains a fact of a newer version", () => {
  const path = withNovel(novel({}));
  goOn(path);
  const reader = new RunReader(path, nodeFileSystem);
  const run = reader.next();
  reader.close();
  expect(run).toMatchObject({ damage: undefined });
  writeFileSync(path, readFileSync(path, "utf8").replace(novel({}), ""));
  const lacking = new RunReader(path, nodeFileSystem);
  expect(lacking.next()?.damage).toBe("lines that are not there");
  lacking.close();
});

test.each([
  ["a message", { type: "novelty", message: { type: "novelty", uuid: "n", timestamp: "" } }],
  ["a form to come", { v: 2 }],
])("a recorded run that ends in %s of a newer version is not whole", (_name, more) => {
  const path = withNovel();
  goOn(path);
  appendFileSync(path, novel({ parentUuid: "w", ...more }));
  const reader = new RunReader(path, nodeFileSystem);
  expect(reader.next()?.damage).toBe("a message that only a newer version knows");
  reader.close();
});

test("a repeated line number does not make a recorded run count as damaged", () => {
  const path = withNovel(novel({}), novel({ seq: 1 }));
  goOn(path);
  expect(numbersIn(path)).toEqual([0, 1, 2, 1, 3]);
  const reader = new RunReader(path, nodeFileSystem);
  expect(reader.next()?.damage).toBeUndefined();
  reader.close();
});

/** The numbers of the session's own lines; those for the session functions of other SDKs have none. */
function numbersIn(path: string): number[] {
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const parsed = lines.map((line) => JSON.parse(line) as { v?: number; seq: number });
  return parsed.filter(({ v }) => v !== undefined).map(({ seq }) => seq);
}

test.each([
  [1, "1 call or result was repaired"],
  [2, "2 calls or results were repaired"],
])("%i repaired calls or results are reported in the right grammatical number", (count, said) => {
  const { report } = readSession(withNovel());
  const repaired = Array.from({ length: count }, () => "t");
  expect(describeReport({ ...report, repaired })).toBe(`The transcript was damaged: ${said}.`);
});
