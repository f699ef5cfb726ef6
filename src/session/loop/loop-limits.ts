/** What bounds a user turn: options first, then the environment, then the defaults. */
import { longestTimer } from "../../lib/after-ms.ts";
import { present } from "../../lib/present.ts";
import { defaultLimits, type LoopLimits } from "../../loop/ports.ts";
import { variablesOf, type Variables } from "../options/variables.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

/** What the adapter's own watch has for being late, ms. */
const graceMs = 60_000;

/** `longestSilenceMs`: what a server may take, where the environment says so. */
export function loopLimits(
  options: EngineOptions,
  { env, notice }: Pick<Surroundings, "env" | "notice">,
  longestSilenceMs = 0,
): Partial<LoopLimits> {
  // What an agent's session passes over was told by the one above it.
  const variables = variablesOf(env, options.subagent === undefined ? notice : () => undefined);
  const { maxTurns = turnLimit(variables), tokenBudget } = options;
  const { toolConcurrency, modelSilenceMs, compactionMs } = defaultLimits;
  return {
    ...present({ maxTurns, tokenBudget }),
    toolConcurrency: variables.number("CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY", 1) ?? toolConcurrency,
    stopHookBlocks: stopHookCap(variables),
    modelSilenceMs: Math.min(Math.max(modelSilenceMs, longestSilenceMs + graceMs), longestTimer),
    // A summary, and a second one where the first was of no use.
    compactionMs: Math.min(Math.max(compactionMs, 2 * longestSilenceMs + graceMs), longestTimer),
    // What is named and not said leaves what there is.
    ...present(options.limits ?? {}),
  };
}

function turnLimit(variables: Variables): number | undefined {
  return variables.number("PAWL_MAX_TURNS", 1) ?? variables.number("CLAUDE_CODE_MAX_TURNS", 1);
}

/** By convention 0 lifts the cap; what is no number leaves it. */
function stopHookCap(variables: Variables): number {
  const cap = variables.number("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", 0) ?? defaultLimits.stopHookBlocks;
  return cap === 0 ? Infinity : cap;
}
