/** Notes that a run keeps beside its messages for a replay: how it began, what failed, how it ended. */
import { fireAndForget } from "../lib/fire-and-forget.ts";
import type { RunBegin, RunNote } from "../protocol/record.ts";
import { defaultLimits, type LoopConfig, type LoopLimits } from "./ports.ts";
import type { Run } from "./run.ts";
import type { State } from "./state.ts";

/** The limits that affect decisions. The others only bound waiting times. */
const decidingLimits = [
  "maxTurns",
  "tokenBudget",
  "outputTokensDefault",
  "outputTokensEscalated",
  "outputTokensRecoveries",
  "stopHookBlocks",
  "overloadsBeforeFallback",
  "pausedTurns",
] as const satisfies readonly (keyof LoopLimits)[];

/** Keeps a note. A lost note may break a replay, but the run continues. */
export function recordNote({ ports: { transcript } }: Run, runNote: RunNote): void {
  if (transcript.note !== undefined) fireAndForget(() => transcript.note?.(runNote));
}

export function recordRunBegin(run: Run, { toolUseContext: { model, agentId } }: State): void {
  if (run.ports.transcript.note === undefined) return;
  const { fallbackModels, thinking, maxOutputTokens } = run.config;
  const begin: RunBegin = {
    at: "begin",
    model,
    agentId,
    limits: nonDefaultLimits(run.limits),
    fallbackModels,
    thinking,
  };
  recordNote(run, maxOutputTokens === undefined ? begin : { ...begin, maxOutputTokens });
}

function nonDefaultLimits(limits: LoopLimits): RunBegin["limits"] {
  const changed: RunBegin["limits"] = {};
  for (const name of decidingLimits) {
    const limit = limits[name];
    if (limit !== undefined && limit !== defaultLimits[name]) changed[name] = limit === Infinity ? null : limit;
  }
  return changed;
}

/** Returns the limits that a run began with. Names this version does not know are ignored. */
export function limitsOfRun({ limits: changed }: RunBegin): Partial<LoopLimits> {
  const limits: Partial<LoopLimits> = {};
  for (const name of decidingLimits) {
    const limit = changed[name];
    if (limit !== undefined) limits[name] = limit ?? Infinity;
  }
  return limits;
}

export function configOfRun({
  fallbackModels,
  thinking,
  maxOutputTokens,
}: RunBegin): Pick<LoopConfig, "fallbackModels" | "thinking" | "maxOutputTokens"> {
  return maxOutputTokens === undefined ? { fallbackModels, thinking } : { fallbackModels, thinking, maxOutputTokens };
}
