// The parents of retractions: programs that follow the parents from the last line must not come to what was taken back.
import { readFileSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import type { Message } from "../../src/protocol/index.ts";
import { forkSession } from "../../src/transcript/fork.ts";
import { readSession } from "../../src/transcript/index.ts";
import { nodeFileSystem } from "../../src/transcript/file-system.ts";
import { RunReader } from "../../src/transcript/runs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { appendAll, assistant, boundary, clock, open, responseEnd, user } from "./support.ts";

const answer = (uuid: string, messageId = uuid) => assistant(uuid, messageId, [{ type: "text", text: uuid }]);
const retraction = (uuid: string, ...targets: string[]): Message => ({
  type: "tombstone",
  uuid,
  timestamp: "2026-01-01",
  targets,
  reason: "retry",
});
const notice = (uuid: string): Message => ({
  type: "notice",
  uuid,
  timestamp: "2026-01-01",
  level: "info",
  name: "x",
  text: "x",
});

type Line = { uuid: string; parentUuid: string | null; type: string };

/** From the last message to the first, oldest first. */
function chain(path: string): string[] {
  const lines = readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => "message" in line);
  const found: string[] = [];
  for (let line = lines.at(-1); line !== undefined;) {
    found.unshift(line.uuid);
    const { parentUuid } = line;
    line = lines.find(({ uuid }) => uuid === parentUuid);
  }
  return found;
}

test.each<[string, Message[], string[]]>([
  ["two blocks", [user("p", "Go."), answer("x", "m"), answer("y", "m"), retraction("s", "x", "y")], ["p", "s", "z"]],
  [
    "an answer and what only pawl recorded after it",
    [user("p", "Go."), notice("n"), answer("x"), responseEnd("e", "x"), retraction("s", "x")],
    ["p", "n", "s", "z"],
  ],
  [
    "one answer after the other",
    [user("p", "Go."), answer("x"), retraction("s", "x"), responseEnd("e", "x"), answer("y"), retraction("t", "y")],
    ["p", "s", "e", "t", "z"],
  ],
  ["the first message", [user("p", "Go."), retraction("s", "p")], ["s", "z"]],
  [
    "an answer before a message that stays, which it does not leave out",
    [user("p", "Go."), answer("x"), user("q", "Wait."), retraction("s", "x")],
    ["p", "x", "q", "s", "z"],
  ],
  ["a boundary, which stays", [boundary("b", [user("p", "Go.")]), retraction("s", "p")], ["b", "s", "z"]],
])("the chain leads past a retraction of %s", (_what, messages, expected) => {
  const transcript = open(temporaryFolder());
  appendAll(transcript, [...messages, answer("z")]);
  transcript.close();
  expect(chain(transcript.path)).toEqual(expected);
  const copy = forkSession(transcript.path, "22222222-2222-4333-8444-555555555555", { clock });
  expect(chain(copy.path)).toHaveLength(expected.length);
  for (const path of [transcript.path, copy.path]) {
    const { report, hasUnboundThinking } = readSession(path);
    expect([report.chainBreaks, report.gaps, hasUnboundThinking]).toEqual([0, [], false]);
    const runs = new RunReader(path, nodeFileSystem);
    onTestFinished(() => runs.close());
    for (let run = runs.next(); run !== undefined; run = runs.next()) expect(run.damage).toBeUndefined();
  }
});

test("after a resume the chain leads past answers of this process, and to those of an earlier one", () => {
  const folder = temporaryFolder();
  const first = open(folder);
  appendAll(first, [user("p", "Go."), answer("w")]);
  first.close();
  const { resumePoint: resume } = readSession(first.path);
  const second = open(folder, { resume });
  appendAll(second, [answer("x"), retraction("s", "x", "w"), answer("z")]);
  second.close();
  expect(chain(second.path)).toEqual(["p", "w", "s", "z"]);
  expect(readSession(second.path).messages.map(({ uuid }) => uuid)).toEqual(["p", "z"]);
  expect(readSession(second.path).report.chainBreaks).toBe(0);
});

test("a lost message before a retraction is noticed if it is not one that was taken back", () => {
  const transcript = open(temporaryFolder());
  appendAll(transcript, [user("p", "Go."), user("q", "Wait."), answer("x"), retraction("s", "x"), answer("z")]);
  transcript.close();
  const lines = readFileSync(transcript.path, "utf8").split("\n");
  const without = (...lost: string[]) =>
    lines.filter((line) => !lost.some((uuid) => line.includes(`"uuid":"${uuid}"`))).join("\n");
  for (const [lost, breaks] of [
    [["x"], 0],
    [["q", "x"], 1],
    [["s"], 1],
  ] as const) {
    writeFileSync(transcript.path, without(...lost));
    expect([lost, readSession(transcript.path).report.chainBreaks]).toEqual([lost, breaks]);
  }
});
