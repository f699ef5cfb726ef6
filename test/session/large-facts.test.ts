// What the model has read grows with the session. Seen: recorded after each of 400 prompts, it was six times as long as the conversation.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { QueryEngine } from "../../src/index.ts";
import type { Part, Step } from "../../src/testing/index.ts";
import { readSession } from "../../src/transcript/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, linesOf, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const many = 150;

/** A session that has read many files in its first turn, and one more in each of some others. */
async function openWithManyReads(laterTurns: number) {
  const ground = layGround();
  const paths = Array.from({ length: many + laterTurns }, (_, at) => join(ground.work, `${at}.txt`));
  for (const path of paths) writeFileSync(path, "one line\n");
  const reads = paths.map((path): Part => ({ tool: "Read", input: { file_path: path } }));
  const steps: Step[] = [{ content: reads.slice(0, many) }, "Read."];
  for (const read of reads.slice(many)) steps.push({ content: [read] }, "Read.");
  const engine = await openOn(ground, scripted({ steps, fallback: "Hello." }));
  for (let at = 0; at <= laterTurns; at++) await turn(engine, "Go on.");
  return { engine, paths };
}

function recordedPaths(engine: QueryEngine): string[] {
  const { readFileState } = readSession(engine.getTranscriptPath()!);
  return (readFileState as [path: string][]).map(([path]) => path);
}

describe("what the model has read, in a session with many files", () => {
  test("is recorded when the transcript has grown by its length, and not after each prompt", async () => {
    const { engine } = await openWithManyReads(12);
    const lines = linesOf(engine);
    const length = (each: typeof lines) => each.reduce((sum, line) => sum + JSON.stringify(line).length, 0);
    const states = lines.filter(({ type }) => type === "read_file_state");
    expect(states.length).toBeGreaterThan(0);
    expect(states.length).toBeLessThan(5);
    expect(length(states)).toBeLessThan(length(lines) / 2);
  });

  test("is recorded as a whole at the end of the session", async () => {
    const { engine, paths } = await openWithManyReads(2);
    expect(recordedPaths(engine)).not.toContain(paths.at(-1));
    await engine.dispose();
    expect(recordedPaths(engine).toSorted()).toEqual(paths.toSorted());
  });

  test("is recorded as a whole before the session is copied", async () => {
    const { engine, paths } = await openWithManyReads(2);
    await engine.branch("Copy");
    expect(recordedPaths(engine).toSorted()).toEqual(paths.toSorted());
  });
});
