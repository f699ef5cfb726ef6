// A sample of the real faults of test/long/faults-*, spread over each whole list; docs/faults.md says what they are.
import { describe, expect, test } from "vitest";
import { listRefusedCalls, runWithRefusedCall } from "../support/faults/refused-calls.ts";
import { runUnderClock } from "../support/faults/clock.ts";
import { cutEverywhere } from "../support/faults/cut.ts";
import { killAt, listKillPoints } from "../support/faults/kill.ts";
import { runPooled } from "../support/faults/pool.ts";
import { forkRun, promptsRun, repairRun, shortRun, toolRun } from "../support/faults/scenarios.ts";
import { interruptAt, measureWholeRun } from "../support/faults/signal.ts";
import { patterns } from "../support/faults/wire-patterns.ts";
import { runPattern } from "../support/faults/wire.ts";
import { byTestDepth } from "../support/test-depth.ts";
import { sharedTemporaryFolder } from "../support/temporary-folder.ts";

const cache = sharedTemporaryFolder();

function spread<T>(list: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, at) => list[Math.floor(((at + 0.5) * list.length) / count)] as T);
}

async function expectEach<T>(list: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const failures = await runPooled(list, 3, async (item) => void (await work(item)));
  expect(failures.map(({ error }) => error.message).join("\n\n")).toBe("");
}

describe("a session survives a sample of real faults", { timeout: 60_000 }, () => {
  const kills = [
    [toolRun, byTestDepth(2, 6), 500],
    [repairRun, 3, 200],
    [forkRun, 2, 40],
  ] as const;
  test.each(byTestDepth<readonly (typeof kills)[number][]>(kills.slice(0, 1), kills))(
    "kill -9 at a write of $name, then a resume",
    async (scenario, count, least) => {
      const strokes = await listKillPoints(scenario, cache);
      expect(strokes.length).toBeGreaterThanOrEqual(least);
      await expectEach(spread(strokes, count), (stroke) => killAt(stroke, cache));
    },
  );

  test("a full disk at a write", async () => {
    await expectEach(spread(await listRefusedCalls(shortRun, ["ENOSPC"], cache), byTestDepth(1, 4)), (refusal) =>
      runWithRefusedCall(refusal, cache),
    );
  });

  test("odd and broken connections", async () => {
    await expectEach(spread(patterns, byTestDepth(3, 9)), (pattern) => runPattern(pattern, cache));
  });

  test("a transcript cut in its last 4 KB", () =>
    cutEverywhere(promptsRun, { bytes: 4096, step: 17, sample: byTestDepth(1, 2) }, cache));

  test("a wall clock that jumps by days", () => runUnderClock(shortRun, 72, cache));

  test("Ctrl+C in the middle", async () => {
    const { took } = await measureWholeRun(shortRun, cache);
    await expectEach(byTestDepth([0.5], [0.4, 0.7]), (share) => interruptAt(shortRun, took * share, cache));
  });
});
