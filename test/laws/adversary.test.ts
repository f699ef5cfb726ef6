// Whatever always asks to go on, alone and mixed, under every combination: the loop ends, within what its limits say.
import fc from "fast-check";
import { expect, test } from "vitest";
import { leftoverFaults, requestsFaults, transcriptFaults } from "../loop/support/after.ts";
import { runWith } from "../loop/support/harness.ts";
import { adversaries, adversaryOptions, everyMove, excesses, type Adversary } from "./support/adversary.ts";
import { byTestDepth } from "../support/test-depth.ts";

async function faultsAgainst(adversary: Adversary): Promise<string[]> {
  const ran = await runWith(adversaryOptions(adversary));
  return [...excesses(adversary, ran), ...transcriptFaults(ran), ...requestsFaults(ran), ...leftoverFaults(ran)];
}

test.each(everyMove)("the loop ends within its limits although the model always %s", async (move) => {
  for (const hooksBlock of [true, false])
    for (const layersShrink of [true, false])
      for (const tokenBudget of [null, 5_000])
        for (const stopHookBlocks of [1, 20])
          for (const fallbacks of [0, 2]) {
            const adversary = {
              moves: [move],
              hooksBlock,
              layersShrink,
              tokenBudget,
              stopHookBlocks,
              fallbacks,
              maxTurns: 2,
              maxRetries: 2,
            };
            expect(await faultsAgainst(adversary), JSON.stringify(adversary)).toEqual([]);
          }
});

test("the loop ends within its limits although the model mixes its moves", async () => {
  await fc.assert(
    fc.asyncProperty(adversaries, async (adversary) => {
      expect(await faultsAgainst(adversary)).toEqual([]);
    }),
    { numRuns: byTestDepth(100, 250) },
  );
});
