// A transcript cut at every byte of its last 4 KB, two processes on one session, and a clock that jumps.
import { describe, expect, test } from "vitest";
import { runUnderClock } from "../support/faults/clock.ts";
import { cutEverywhere } from "../support/faults/cut.ts";
import { compactRun, promptsRun, slowRun, toolRun } from "../support/faults/scenarios.ts";
import {
  expectConcurrentContinues,
  expectSecondRefused,
  expectResumeAfterKill,
} from "../support/faults/two-processes.ts";
import { sharedTemporaryFolder } from "../support/temporary-folder.ts";

const cache = sharedTemporaryFolder();

test.each([toolRun, compactRun, promptsRun])(
  "the transcript of $name can be read and resumed if it is cut at any byte of its last 4 KB",
  { timeout: 900_000 },
  async (scenario) => {
    const { read, resumed } = await cutEverywhere(scenario, { bytes: 4096, sample: 24 }, cache);
    console.log(`cut: ${scenario.name}: read at ${read} cuts, resumed by the command at ${resumed}`);
    expect(read).toBe(4096);
  },
);

describe("several processes on one session", () => {
  test("refuse the second one and name the first, until the first is gone", () => expectSecondRefused(cache));
  test("let the next one continue at once after kill -9 of the first, twenty times", { timeout: 300_000 }, async () => {
    for (let round = 0; round < 20; round++) await expectResumeAfterKill(cache);
  });
  test(
    "that continue at the same moment leave exactly one with the session, twenty times",
    { timeout: 600_000 },
    async () => {
      for (let round = 0; round < 20; round++) await expectConcurrentContinues(4, cache);
    },
  );
});

test(
  "a run is not disturbed by a clock that jumps by up to three days at every reading",
  { timeout: 300_000 },
  async () => {
    for (const scenario of [toolRun, compactRun, promptsRun, slowRun])
      for (const hours of [1, 24, 72]) await runUnderClock(scenario, hours, cache);
  },
);
