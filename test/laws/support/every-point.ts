// Every law, wherever something can be done to a run. The points are counted from a run without anything, not listed.
import { expect } from "vitest";
import { coveringRuns, traitsOf } from "./covering.ts";
import { injectionsOf, lawRun, type Injection } from "./law-run.ts";
import { faultsOf, story } from "./laws.ts";

export interface Tried {
  /** Of the runs that were chosen. */
  yields: number;
  calls: number;
  traits: ReadonlySet<string>;
  runs: number;
}

/** Holds the laws for each injection of these kinds, and prints how many were tried. */
export async function holdAtEveryPoint(kinds: readonly Injection["kind"][]): Promise<Tried> {
  let [yields, calls, runs] = [0, 0, 0];
  const traits = new Set<string>();
  for (const counted of await coveringRuns(20_260_101, 1_500, 7_500)) {
    yields += counted.events.length;
    calls += counted.world.calls.length;
    for (const trait of traitsOf(counted)) traits.add(trait);
    for (const injection of injectionsOf(counted)) {
      if (!kinds.includes(injection.kind)) continue;
      const run = await lawRun(counted.scenario, injection, counted);
      runs++;
      const faults = faultsOf(run);
      if (faults.length > 0) expect.fail(story(run, faults));
    }
  }
  console.log(`laws: ${yields} yield points, ${calls} port calls, ${runs} runs, ${traits.size} traits`);
  return { yields, calls, runs, traits };
}
