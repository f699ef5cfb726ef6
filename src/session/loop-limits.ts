/** What bounds a user turn: options first, then the environment, then the defaults. */
import { defaultLimits, type LoopLimits } from "../loop/ports.ts";
import { wholeNumber } from "./model/model-parts.ts";
import type { EngineOptions } from "./options.ts";
import type { Surroundings } from "./surroundings.ts";

export function loopLimits(options: EngineOptions, env: Surroundings["env"]): Partial<LoopLimits> {
  const { maxTurns = wholeNumber(env["PAWL_MAX_TURNS"] ?? env["CLAUDE_CODE_MAX_TURNS"]), tokenBudget } = options;
  return {
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(tokenBudget === undefined ? {} : { tokenBudget }),
    toolConcurrency: wholeNumber(env["CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY"]) ?? defaultLimits.toolConcurrency,
    stopHookBlocks: stopHookCap(env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"]),
    ...options.limits,
  };
}

/** By convention 0 lifts the cap; what is no number leaves it. */
function stopHookCap(said: string | undefined): number {
  const cap = wholeNumber(said, 0) ?? defaultLimits.stopHookBlocks;
  return cap === 0 ? Infinity : cap;
}
