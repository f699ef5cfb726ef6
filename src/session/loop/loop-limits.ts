/** The limits of a user turn: from options first, then the environment, then the defaults. */
import { actsAsSubagent } from "../options/acts-as-subagent.ts";
import { longestTimerMs } from "../../lib/after-ms.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { defaultLimits, type LoopLimits } from "../../loop/ports.ts";
import { variablesOf, type Variables } from "../options/variables.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

/** How late the adapter's own timeout may be, in ms. */
const graceMs = 60_000;

/** `longestSilenceMs`: how long a server may stay silent, if the environment says so. */
export function loopLimits(
  options: EngineOptions,
  { env, notice }: Pick<Surroundings, "env" | "notice">,
  longestSilenceMs = 0,
): Partial<LoopLimits> {
  // For an agent, the session above it has already reported ignored variables.
  const variables = variablesOf(env, actsAsSubagent(options) ? () => undefined : notice);
  const { maxTurns = turnLimit(variables), tokenBudget } = options;
  const { toolConcurrency, modelSilenceMs, compactionMs } = defaultLimits;
  return {
    ...withoutUndefined({ maxTurns, tokenBudget }),
    toolConcurrency: variables.number("CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY", 1) ?? toolConcurrency,
    stopHookBlocks: stopHookCap(variables),
    modelSilenceMs: Math.min(Math.max(modelSilenceMs, longestSilenceMs + graceMs), longestTimerMs),
    // Time for a summary, and for a second one if the first was useless.
    compactionMs: Math.min(Math.max(compactionMs, 2 * longestSilenceMs + graceMs), longestTimerMs),
    // A limit that is present but undefined keeps the value above.
    ...withoutUndefined(options.limits ?? {}),
  };
}

function turnLimit(variables: Variables): number | undefined {
  return variables.number("PAWL_MAX_TURNS", 1) ?? variables.number("CLAUDE_CODE_MAX_TURNS", 1);
}

/** By convention 0 lifts the cap; an invalid number leaves it at the default. */
function stopHookCap(variables: Variables): number {
  const cap = variables.number("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", 0) ?? defaultLimits.stopHookBlocks;
  return cap === 0 ? Infinity : cap;
}
