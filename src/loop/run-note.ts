/** Notes that a run keeps beside its messages for a replay: how it began, what failed, how it ended. */
import { tell } from "../lib/unheard.ts";
import type { RunBegin, RunNote } from "../protocol/record.ts";
import { defaultLimits, type LoopConfig, type LoopLimits } from "./ports.ts";
import type { Run } from "./run.ts";
import type { State } from "./state.ts";

/** The limits that affect decisions. The others only bound waiting times. */
const deciding = [
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
export function note({ ports: { transcript } }: Run, said: RunNote): void {
  if (transcript.note !== undefined) tell(() => transcript.note?.(said));
}

export function noteBegin(run: Run, { toolUseContext: { model, agentId } }: State): void {
  if (run.ports.transcript.note === undefined) return;
  const { fallbackModels, thinking, maxOutputTokens } = run.config;
  const begin: RunBegin = { at: "begin", model, agentId, limits: limitsTold(run.limits), fallbackModels, thinking };
  note(run, maxOutputTokens === undefined ? begin : { ...begin, maxOutputTokens });
}

function limitsTold(limits: LoopLimits): RunBegin["limits"] {
  const told: RunBegin["limits"] = {};
  for (const name of deciding) {
    const limit = limits[name];
    if (limit !== undefined && limit !== defaultLimits[name]) told[name] = limit === Infinity ? null : limit;
  }
  return told;
}
/** Returns the limits that a run began with. Names this version does not know are ignored. */
export function limitsOf({ limits: told }: RunBegin): Partial<LoopLimits> {
  const limits: Partial<LoopLimits> = {};
  for (const name of deciding) {
    const limit = told[name];
    if (limit !== undefined) limits[name] = limit ?? Infinity;
  }
  return limits;
}

export function configOf({
  fallbackModels,
  thinking,
  maxOutputTokens,
}: RunBegin): Pick<LoopConfig, "fallbackModels" | "thinking" | "maxOutputTokens"> {
  return maxOutputTokens === undefined ? { fallbackModels, thinking } : { fallbackModels, thinking, maxOutputTokens };
}
