// Every law, with an abort at every yield point and a fault at every port call. The points are counted from a run without
// them, not listed; how many were tried is printed, and may not fall.
import { expect, test } from "vitest";
import { guardsAfter } from "../../src/loop/state.ts";
import { coveringRuns, traitsOf } from "./support/covering.ts";
import { injectionsOf, lawRun } from "./support/law-run.ts";
import { faultsOf, story } from "./support/laws.ts";

/** What the seed below tries at least. May rise, may not fall. */
const floors = { yields: 510, calls: 2_600 };

test("every law, at every yield point and every port call", { timeout: 180_000 }, async () => {
  let yields = 0;
  let calls = 0;
  let runs = 0;
  const traits = new Set<string>();
  for (const counted of await coveringRuns(20_260_101, 1_000, 7_500)) {
    yields += counted.events.length;
    calls += counted.world.calls.length;
    for (const trait of traitsOf(counted)) traits.add(trait);
    for (const injection of injectionsOf(counted)) {
      const run = await lawRun(counted.scenario, injection, counted);
      runs++;
      const faults = faultsOf(run);
      if (faults.length > 0) expect.fail(story(run, faults));
    }
  }
  console.log(`laws: ${yields} yield points, ${calls} port calls, ${runs} runs, ${traits.size} traits`);
  expect(yields).toBeGreaterThanOrEqual(floors.yields);
  expect(calls).toBeGreaterThanOrEqual(floors.calls);
  for (const reason of Object.keys(guardsAfter)) expect(traits).toContain(`again ${reason}`);
});
