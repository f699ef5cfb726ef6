// `npm run simulate -- --seeds N [--seed S] [--trace]`: runs the real engine in a simulated world, one run per seed. Ends with what
// was reached and what was broken. A failing seed is shrunk and printed with the command that replays it. See docs/simulator.md.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { parseFlags } from "./run/flags.ts";
import { addSummary, emptySummary, runBatch, simulateWithTraps, type Summary } from "../test/simulator/batch.ts";
import { readChoices } from "../test/simulator/choices.ts";
import { preload } from "../test/simulator/preload.ts";
import { shrunkFailureLines, summaryLines, outcomeLines, verdictLines } from "../test/simulator/report.ts";

const values = parseFlags({
  seeds: { type: "string", default: "1" },
  seed: { type: "string", default: "1" },
  trace: { type: "boolean", default: false },
  /** Replays these choices instead of drawing them from the seed. */
  choices: { type: "string" },
  /** The number of parallel processes. */
  jobs: { type: "string", default: "1" },
  /** The number of failing seeds after which it stops. */
  failures: { type: "string", default: "5" },
  /** Does not require that every reason is reached. */
  partial: { type: "boolean", default: false },
  /** Prints the summary as one line of JSON. */
  json: { type: "boolean", default: false },
});

const numbers = {
  first: Number(values.seed),
  count: Number(values.seeds),
  jobs: Number(values.jobs),
  failures: Number(values.failures),
};
for (const [name, number] of Object.entries(numbers))
  if (!Number.isSafeInteger(number) || number < (name === "first" ? 0 : 1)) {
    console.error(`--${name === "first" ? "seed" : name === "count" ? "seeds" : name} must be a whole number.`);
    process.exit(2);
  }

await preload();
process.exitCode = values.trace || values.choices !== undefined ? await replay() : await simulateMany();

/** Replays one seed and prints the whole run. */
async function replay(): Promise<number> {
  const choices = values.choices === undefined ? undefined : readChoices(values.choices);
  const outcome = await simulateWithTraps(numbers.first, { given: choices, trace: true });
  if (values.trace) for (const line of outcome.lines ?? []) console.log(line);
  for (const line of outcomeLines(outcome)) console.log(line);
  return outcome.problems.length === 0 ? 0 : 1;
}

async function simulateMany(): Promise<number> {
  const startedAt = performance.now();
  const summary = numbers.jobs === 1 ? await simulateHere() : await simulateInProcesses();
  const isWhole = !values.partial;
  const verdict = verdictLines(summary, isWhole);
  if (values.json) console.log(JSON.stringify({ ...summary, verdict }));
  else {
    const [failure] = summary.failures;
    if (failure !== undefined) for (const line of await shrunkFailureLines(failure)) console.log(line);
    for (const line of summaryLines(summary, verdict, performance.now() - startedAt)) console.log(line);
  }
  return verdict.length === 0 ? 0 : 1;
}

function simulateHere(): Promise<Summary> {
  return runBatch({ first: numbers.first, count: numbers.count, maxFailures: numbers.failures });
}

async function simulateInProcesses(): Promise<Summary> {
  const share = Math.ceil(numbers.count / numbers.jobs);
  const whole = emptySummary();
  const parts = Array.from({ length: numbers.jobs }, (_, job) => {
    const first = numbers.first + job * share;
    return simulateInChild(first, Math.min(share, numbers.first + numbers.count - first));
  });
  for (const part of await Promise.all(parts)) addSummary(whole, part);
  return whole;
}

async function simulateInChild(first: number, count: number): Promise<Summary> {
  if (count <= 0) return emptySummary();
  const args = [
    "--seed",
    String(first),
    "--seeds",
    String(count),
    "--failures",
    values.failures,
    "--partial",
    "--json",
  ];
  const child = spawn(process.execPath, [import.meta.filename, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let last = "";
  for await (const line of createInterface({ input: child.stdout })) last = line;
  if (last === "") throw new Error(`The process of seeds ${first} to ${first + count - 1} ended without a summary.`);
  return JSON.parse(last) as Summary;
}
