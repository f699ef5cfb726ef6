// Runs many seeds, one after the other, and sums up the reasons reached, the laws broken, leaks, and memory that was not released.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { addCounts, type Counts } from "./coverage.ts";
import { LeakTraps } from "./leak-traps.ts";
import { simulate, type Outcome } from "./run.ts";

export interface Failure {
  seed: number;
  law: string;
  text: string;
  choices: number[];
}

/** Plain JSON, which processes send to one another. */
export interface Summary {
  seeds: number;
  failures: Failure[];
  counts: Counts;
  steps: number;
  requests: number;
  virtualMs: number;
  /** CPU time. */
  cpuMs: number;
  /** Seeds that were run twice, to check that both runs are the same. */
  repeated: number;
}

export function emptySummary(): Summary {
  return { seeds: 0, failures: [], counts: {}, steps: 0, requests: 0, virtualMs: 0, cpuMs: 0, repeated: 0 };
}

export function addSummary(to: Summary, from: Summary): void {
  to.seeds += from.seeds;
  to.failures.push(...from.failures);
  addCounts(to.counts, from.counts);
  to.steps += from.steps;
  to.requests += from.requests;
  to.virtualMs += from.virtualMs;
  to.cpuMs += from.cpuMs;
  to.repeated += from.repeated;
}

let leaks: LeakTraps | undefined;

/** One seed with all traps closed. A leak is a problem of the run. */
export async function simulateWithTraps(seed: number, options: Parameters<typeof simulate>[1] = {}): Promise<Outcome> {
  const traps = (leaks ??= new LeakTraps());
  const outcome = await traps.runTrapped(() => simulate(seed, options));
  for (const leak of new Set(traps.found)) outcome.problems.push({ law: "determinism", text: `${leak} was called` });
  return outcome;
}

/** One of this many seeds is run twice. */
const repeatEvery = 40;
/** Memory is measured after every `measureEvery` seeds, but not before `warmSeeds` have run: the first seeds load what all of them use. */
const measureEvery = 250;
const warmSeeds = 100;
const maxKeptMb = 16;

export interface BatchOptions {
  first: number;
  count: number;
  /** Ends early once this many seeds have failed. */
  maxFailures: number;
  onFailure?: (failure: Failure) => void;
}

export async function runBatch({ first, count, maxFailures, onFailure }: BatchOptions): Promise<Summary> {
  const summary = emptySummary();
  const begun = process.cpuUsage();
  const measureGrowthMb = createMemoryMeter();
  const fail = (seed: number, law: string, text: string, choices: number[]): void => {
    const failure = { seed, law, text, choices };
    summary.failures.push(failure);
    onFailure?.(failure);
  };
  for (let seed = first; seed < first + count && summary.failures.length < maxFailures; seed++) {
    const outcome = await simulateWithTraps(seed);
    summary.seeds++;
    summary.steps += outcome.steps;
    summary.requests += outcome.requests;
    summary.virtualMs += outcome.virtualMs;
    addCounts(summary.counts, outcome.counts);
    const [problem] = outcome.problems;
    if (problem !== undefined) fail(seed, problem.law, problem.text, outcome.choices);
    if (seed % repeatEvery === 0) {
      summary.repeated++;
      const again = await simulateWithTraps(seed);
      // The first run in a process that loads a module waits for it; later runs are the same.
      if (again.hash !== outcome.hash && again.hash !== (await simulateWithTraps(seed)).hash)
        fail(seed, "determinism", `the hashes ${outcome.hash} and ${again.hash}`, outcome.choices);
    }
    if (seed % measureEvery === 0 && summary.seeds >= warmSeeds) {
      const grown = measureGrowthMb();
      if (grown > maxKeptMb) fail(seed, "memory", `${Math.round(grown)} MB are kept of runs that are over`, []);
    }
  }
  const { user, system } = process.cpuUsage(begun);
  summary.cpuMs = Math.round((user + system) / 1000);
  return summary;
}

/** Returns a function that returns by how many MB the used memory has grown since its first call. */
function createMemoryMeter(): () => number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let before: number | undefined;
  return () => {
    collect();
    const used = process.memoryUsage().heapUsed / 2 ** 20;
    before ??= used;
    return used - before;
  };
}
