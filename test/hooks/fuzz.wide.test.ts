// A sample of what a hook may do; test/long/hooks.long.test.ts has a thousand.
import fc from "fast-check";
import { expect, test } from "vitest";
import { behaviours, openFiles, runBehaviours } from "./fuzz.ts";

test.runIf(process.platform === "linux")(
  "hooks that hang, fork, flood, lie, close their pipes or die end in time with the right outcome, and leave nothing behind",
  async () => {
    await runBehaviours([]);
    const before = openFiles();
    await fc.assert(
      fc.asyncProperty(fc.array(behaviours, { minLength: 20, maxLength: 20 }), async (list) => {
        const runs = await runBehaviours(list);
        expect(Math.max(...runs.map(({ lateMs }) => lateMs))).toBeLessThan(5_000);
      }),
      { numRuns: 3, seed: 20_261_121, endOnFailure: true },
    );
    // Eight pipes may be kept for the next ones. What ended last, also of files before this one, may be closing still.
    await expect.poll(openFiles, { timeout: 10_000 }).toBeLessThanOrEqual(before + 2 + 8);
  },
);
