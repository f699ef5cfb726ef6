// A thousand hooks that behave in every way a process can: each ends in time with the right outcome, and nothing of it is left.
import fc from "fast-check";
import { expect, test } from "vitest";
import { behaviours, openFiles, runBehaviours } from "../hooks/fuzz.ts";

const hooks = Number(process.env["HOOKS"] ?? 1_000);
const seed = Number(process.env["SEED"] ?? 20_261_122);
const together = 10;

test.runIf(process.platform === "linux")(
  `${hooks} hooks end in time with the right outcome, and leave nothing`,
  async () => {
    await runBehaviours([]);
    const before = openFiles();
    let ran = 0;
    let latestMs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(behaviours, { minLength: together, maxLength: together }), async (list) => {
        for (const { lateMs } of await runBehaviours(list)) latestMs = Math.max(latestMs, lateMs);
        ran += list.length;
        expect(latestMs).toBeLessThan(10_000);
      }),
      { numRuns: Math.ceil(hooks / together), seed, endOnFailure: true },
    );
    // Eight pipes may be kept for the next ones. What ended last may be closing still.
    await expect.poll(openFiles, { timeout: 10_000 }).toBeLessThanOrEqual(before + 2 + 8);
    console.log(
      `${ran} hooks with the seed ${seed}; the latest answer came ${Math.round(latestMs)} ms after its limit`,
    );
  },
  900_000,
);
