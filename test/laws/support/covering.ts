// Chooses from many random scenarios the few that show most: each chosen one does something that none before it did.
import fc from "fast-check";
import { transitions } from "../../loop/support/harness.ts";
import { injectionsOf, lawRun, type LawRun } from "./law-run.ts";
import { scenarios } from "./scenario.ts";

/** The traits of a run: its end, its Continues and their sequence, its events, calls and notices, and how its answers ended. */
export function traitsOf(run: LawRun): string[] {
  const made = transitions(run.events).map((transition) => transition.reason);
  return [
    `end ${run.terminal?.reason}`,
    ...made.map((reason) => `again ${reason}`),
    ...made.slice(1).map((reason, at) => `${made[at]} then ${reason}`),
    ...run.events.map((event) => (event.type === "notice" ? `notice ${event.name}` : `event ${event.type}`)),
    ...run.events.flatMap((event) => (event.type === "tombstone" ? [`tombstone ${event.reason}`] : [])),
    ...run.events.flatMap((event) => (event.type === "response_end" ? [`answer ended by ${event.stopReason}`] : [])),
    ...run.world.calls.map((call) => `call ${call.name}`),
    ...run.tools.records.map((record) => `tool ${record.name} ended by ${String(record.abortedBy)}`),
  ];
}

/** Chooses scenarios one by one, each for the most new traits at the least cost, until none that fits into `runs` adds a trait. */
export async function coveringRuns(seed: number, pool: number, runs: number): Promise<LawRun[]> {
  const candidates: { run: LawRun; traits: Set<string>; cost: number }[] = [];
  for (const scenario of fc.sample(scenarios, { seed, numRuns: pool })) {
    const run = await lawRun(scenario);
    candidates.push({ run, traits: new Set(traitsOf(run)), cost: injectionsOf(run).length });
  }
  const kept: LawRun[] = [];
  let spent = 0;
  for (;;) {
    const worth = ({ traits, cost }: (typeof candidates)[number]): number =>
      spent + cost > runs ? 0 : traits.size / (cost + 100);
    const best = candidates.reduce((one, other) => (worth(other) > worth(one) ? other : one));
    if (worth(best) === 0) return kept;
    kept.push(best.run);
    spent += best.cost;
    const shown = [...best.traits];
    for (const { traits } of candidates) for (const trait of shown) traits.delete(trait);
  }
}
