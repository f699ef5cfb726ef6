// Checks every law at every point where a fault or a cancel can be injected. The points are counted in an undisturbed run.
import { expect } from "vitest";
import { coveringRuns, traitsOf } from "./covering.ts";
import { injectionsOf, lawRun, type Injection } from "./law-run.ts";
import { faultsOf, story } from "./laws.ts";

export interface Tried {
  /** The number of events in the chosen runs. */
  yields: number;
  calls: number;
  traits: ReadonlySet<string>;
  runs: number;
}

/** Checks the laws for each injection of these kinds, and prints how many there were. */
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
