/** Cuts a transcript at any byte: every cut is read, and a sample of them is resumed with the real command. */
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { readSession, repairOrphans } from "../../../src/transcript/index.ts";
import { openToolUses } from "../../../src/transcript/pairing.ts";
import {
  expectReadable,
  expectSuccess,
  resumeSession,
  prepareWorld,
  findLeftovers,
  recordedCalls,
  readRecords,
  requestProblems,
  findTranscript,
  type Scenario,
} from "./world.ts";

export async function cutEverywhere(
  scenario: Scenario,
  { bytes, step = 1, sample }: { bytes: number; step?: number; sample: number },
  cache: string,
): Promise<{ read: number; resumed: number }> {
  const world = await prepareWorld(scenario, cache);
  try {
    const first = await world.run(scenario.args, scenario.options);
    expect(first.code, first.stderr).toBe(0);
    const path = findTranscript(world.place) ?? "";
    const whole = readFileSync(path);
    const lengths = Array.from({ length: Math.min(bytes, whole.length) }, (_, less) => whole.length - less);
    const cuts = lengths.filter((_, at) => at % step === 0);
    const copy = join(world.place.home, "copy.jsonl");
    copyFileSync(path, copy);
    for (const cut of cuts) {
      truncateSync(copy, cut);
      expectReadableCut(copy, whole.subarray(0, cut), `${scenario.name} cut to ${cut} of ${whole.length} bytes`);
    }
    const sampled = cuts.filter((_, at) => at % Math.ceil(cuts.length / sample) === 0);
    for (const cut of sampled) {
      writeFileSync(path, whole.subarray(0, cut));
      const before = recordedCalls(readRecords(path));
      const where = `${scenario.name} cut to ${cut} of ${whole.length} bytes`;
      expectSuccess(await resumeSession(world), where);
      expect(requestProblems(world.server), where).toEqual([]);
      const after = recordedCalls(readRecords(path));
      for (const [id, call] of after) expect(call.results, `${where}: ${id}`).toHaveLength(1);
      for (const [id, { results }] of before)
        if (results.length === 1) expect(after.get(id)?.results, where).toEqual(results);
      expectReadable(world.place, where);
      expect(findLeftovers(world.place).join(" "), where).toBe("");
    }
    return { read: cuts.length, resumed: sampled.length };
  } finally {
    await world.clear();
  }
}

const ids = { uuid: () => "repair" };
const clock = { now: () => 0 };

/** Expects that every whole line counts, a torn line is set aside, and each call has one result once the repair is appended. */
function expectReadableCut(path: string, bytes: Buffer, where: string): void {
  const { report, messages } = readSession(path);
  const from = bytes.subarray(report.startOffset).toString("utf8");
  const lines = from.split("\n");
  const tail = lines.pop() ?? "";
  const isTorn = tail !== "" && !isCompleteJson(tail);
  const expected = { records: lines.length + (tail === "" || isTorn ? 0 : 1), badLines: 0, gaps: [], chainBreaks: 0 };
  expect(report, where).toMatchObject(expected);
  expect(report.tornTail !== undefined, where).toBe(isTorn);
  const repaired = [...messages, ...repairOrphans(messages, ids, clock)];
  expect(openToolUses(repaired), where).toEqual([]);
}

function isCompleteJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
