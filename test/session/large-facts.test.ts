// What the model has read grows with the session. Seen: recorded after each of 400 prompts, it was six times as long as the conversation.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { QueryEngine } from "../../src/index.ts";
import type { Part, Step } from "../../src/testing/index.ts";
import { Facts } from "../../src/session/store/facts.ts";
import { createReadFileState } from "../../src/tools/read-state.ts";
import { readSession, type Transcript } from "../../src/transcript/index.ts";
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
  return { engine, paths, ground };
}

function recordedPaths(engine: QueryEngine): string[] {
  const { readFileState } = readSession(engine.getTranscriptPath()!);
  return (readFileState as [path: string][]).map(([path]) => path);
}

describe("what the model has read, in a session with many files", () => {
  test("is recorded file by file after each prompt, and never as a whole", async () => {
    const { engine, paths } = await openWithManyReads(12);
    const lines = linesOf(engine);
    const length = (each: typeof lines) => each.reduce((sum, line) => sum + JSON.stringify(line).length, 0);
    const records = lines.filter(({ type }) => String(type).startsWith("read_file"));
    expect(records).toHaveLength(13);
    expect(length(records.slice(1))).toBeLessThan(length(records.slice(0, 1)));
    expect(length(records)).toBeLessThan(length(lines) / 2);
    expect(recordedPaths(engine)).toEqual(paths);
  });

  // What is recorded last says when the session was last used: `--continue` would open this one.
  test("is complete before the session ends, which adds nothing to it", async () => {
    const { engine } = await openWithManyReads(2);
    const records = () => linesOf(engine).filter(({ type }) => String(type).startsWith("read_file"));
    const before = records();
    await engine.dispose();
    expect(records()).toEqual(before);
  });

  test("is known as a whole in a copy of the session", async () => {
    const { engine, paths } = await openWithManyReads(2);
    await engine.branch("Copy");
    expect(recordedPaths(engine).toSorted()).toEqual(paths.toSorted());
  });

  test("may be edited after a resume, with no read since", async () => {
    const { engine, paths, ground } = await openWithManyReads(1);
    const sessionId = engine.getSessionId();
    await engine.dispose();
    const edits = [paths[0]!, paths.at(-1)!].map((path): Part => ({
      tool: "Edit",
      input: { file_path: path, old_string: "one", new_string: "two" },
    }));
    const steps: Step[] = [{ content: edits }, "Edited."];
    const again = await openOn(ground, scripted({ steps }), { resume: sessionId, permissionMode: "acceptEdits" });
    await turn(again, "Edit them.");
    expect([paths[0]!, paths.at(-1)!].map((path) => readFileSync(path, "utf8"))).toEqual(["two line\n", "two line\n"]);
  });
});

describe("facts about what was read", () => {
  test("are written again with the next ones if they could not be written", () => {
    const state = createReadFileState();
    const written: unknown[] = [];
    let isFull = true;
    const appendMeta = (_kind: string, data: unknown) => (isFull ? { ok: false } : (written.push(data), { ok: true }));
    const facts = new Facts({ appendMeta } as unknown as Transcript, {});
    state.set("/a", { mtimeMs: 1, size: 1 });
    facts.putReadFiles(state);
    isFull = false;
    state.set("/b", { mtimeMs: 2, size: 2 });
    facts.putReadFiles(state);
    facts.putReadFiles(state);
    expect(written).toEqual([
      [
        ["/a", { mtimeMs: 1, size: 1 }],
        ["/b", { mtimeMs: 2, size: 2 }],
      ],
    ]);
  });
});
