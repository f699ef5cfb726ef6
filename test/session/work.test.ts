// What a session has done besides spending money: its time, and the lines it changed.
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import type { Part } from "../../src/testing/index.ts";
import { WorkStatistics } from "../../src/session/ledger/work-statistics.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const edit = (file_path: string, old_string: string, new_string: string): Part => ({
  tool: "Edit",
  input: { file_path, old_string, new_string },
});

describe("changed lines", () => {
  test("are counted for Write and Edit, also of agents, but for no failed call", async () => {
    const ground = layGround();
    const path = ground.file("a.txt", "one\ntwo\nthree\n");
    const agent: Part = { tool: "Agent", input: { description: "d", prompt: "p", subagent_type: "general-purpose" } };
    const model = scripted({
      steps: [
        { content: [{ tool: "Read", input: { file_path: path } }] },
        { content: [edit(path, "two", "2\n2b"), edit(path, "absent", "x")] },
        { content: [agent] },
        { content: [{ tool: "Write", input: { file_path: "b.txt", content: "x\ny\n" } }] },
        "The agent is done.",
      ],
      fallback: "Done.",
    });
    const engine = await openOn(ground, model, { permissionMode: "acceptEdits" });
    await turn(engine, "Go.");
    expect(engine.getCost()).toMatchObject({ linesAdded: 4, linesRemoved: 1 });
    expect(engine.getCost().durationMs).toBeGreaterThanOrEqual(engine.getCost().apiDurationMs);
    await engine.clear();
    expect(engine.getCost()).toMatchObject({ linesAdded: 0, linesRemoved: 0, apiDurationMs: 0 });
  });

  test("of a notebook are those between the first and the last difference", () => {
    const work = new WorkStatistics(() => 0);
    work.addWrittenFile({ original_file: "a\nb\nc\nd", updated_file: "a\nx\ny\nc\nd", new_source: "x" });
    expect(work).toMatchObject({ linesAdded: 2, linesRemoved: 1 });
    for (const odd of [null, 5, {}, { structuredPatch: [null, { lines: [5] }] }, { type: "create" }])
      work.addWrittenFile(odd);
    expect(work).toMatchObject({ linesAdded: 2, linesRemoved: 1 });
  });
});

test("property: no line of two texts is counted twice", () => {
  const texts = fc.array(fc.constantFrom("a\n", "b\n"), { maxLength: 6 });
  fc.assert(
    fc.property(texts, texts, (old, young) => {
      const work = new WorkStatistics(() => 0);
      work.addWrittenFile({ original_file: old.join(""), updated_file: young.join("") });
      const { linesAdded, linesRemoved } = work;
      expect(linesAdded - linesRemoved).toBe(young.length - old.length);
      const rest = old.length - linesRemoved;
      expect(rest).toBeGreaterThanOrEqual(0);
      const isCommon = (start: number): boolean =>
        [old, young]
          .map((all) => [...all.slice(0, start), ...all.slice(all.length - (rest - start))].join(""))
          .every((each, _, [first]) => each === first);
      expect(Array.from({ length: rest + 1 }, (_, start) => isCommon(start))).toContain(true);
    }),
  );
});

test("the time of parallel calls adds up, and no time is negative", () => {
  let now = 100;
  const work = new WorkStatistics(() => now);
  now = 150;
  work.addModelCall(110);
  work.addModelCall(120);
  work.addModelCall(200);
  expect(work).toMatchObject({ apiMs: 70, durationMs: 50 });
});
