// What people read of simulated runs.
import { simulateWithTraps, type Failure, type Summary } from "./batch.ts";
import { writeChoices } from "./choices.ts";
import { missingCounts, formatCounts } from "./coverage.ts";
import type { Outcome } from "./run.ts";
import { shrink } from "./shrink.ts";

function replayCommand(seed: number, choices?: readonly number[]): string {
  const given = choices === undefined ? "" : ` --choices ${writeChoices(choices) || "0"}`;
  return `npm run simulate -- --seed ${seed}${given} --trace`;
}

export function outcomeLines({ seed, problems, hash, steps, requests, virtualMs }: Outcome): string[] {
  return [
    ...problems.map(({ law, text }) => `${law}: ${text}`),
    `seed ${seed}: ${problems.length} problems, ${steps} events, ${requests} requests, ${Math.round(virtualMs / 1000)} s of its own time, hash ${hash}`,
  ];
}

/** The first failing seed, made small, and told. */
export async function shrunkFailureLines({ seed, law, text, choices }: Failure): Promise<string[]> {
  const head = [`seed ${seed} breaks ${law}: ${text}`, `replay: ${replayCommand(seed)}`];
  if (choices.length === 0 || law === "determinism") return head;
  const small = await shrink(
    choices,
    async (given) => (await simulateWithTraps(seed, { given })).problems[0]?.law === law,
  );
  const outcome = await simulateWithTraps(seed, { given: small.choices, trace: true });
  const lines = outcome.lines ?? [];
  return [
    ...head,
    `made small in ${small.runs} runs, from ${choices.length} choices to ${small.choices.length}:`,
    ...lines.slice(0, 80).map((line) => `  ${line.length > 150 ? `${line.slice(0, 150)}…` : line}`),
    ...(lines.length > 80 ? [`  … ${lines.length - 80} lines more`] : []),
    ...outcome.problems.map((problem) => `  ${problem.law}: ${problem.text}`),
    `replay: ${replayCommand(seed, small.choices)}`,
  ];
}

/** Why the seeds do not pass; empty where they do. */
export function verdictLines(summary: Summary, mustReachAll: boolean): string[] {
  const broken = summary.failures.map(({ seed, law, text }) => `seed ${seed} breaks ${law}: ${text}`);
  const missing = mustReachAll ? missingCounts(summary.counts).map((reason) => `never reached: ${reason}`) : [];
  return [...broken, ...missing];
}

export function summaryLines(summary: Summary, verdict: readonly string[], tookMs: number): string[] {
  const { seeds, steps, requests, virtualMs, cpuMs, counts, repeated } = summary;
  const each = (ms: number): string => (ms / Math.max(1, seeds)).toFixed(1);
  const days = (virtualMs / 86_400_000).toFixed(1);
  return [
    ...formatCounts(counts),
    `${seeds} seeds (${repeated} of them twice), ${steps} events, ${requests} requests, ${days} days of their own time; ${each(tookMs)} ms a seed, ${each(cpuMs)} of the processor`,
    ...verdict,
    `simulate: ${seeds - summary.failures.length} passed, ${verdict.length} failed`,
  ];
}
