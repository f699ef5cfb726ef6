/** What a session's context management has saved: counted as it happens, because a compaction leaves nothing of what was before it. */
import { toAsyncGenerator } from "../../lib/steps.ts";
import type { SessionContext } from "../../context/index.ts";
import { toolResultTokens } from "../../context/measure.ts";
import type { ShrinkResult } from "../../protocol/context.ts";
import type { LayerSaving } from "../../protocol/context-usage.ts";

export interface CountedContext extends SessionContext {
  savings(): LayerSaving[];
}

export function withSavingsCount(context: SessionContext): CountedContext {
  const byLayer = new Map<string, LayerSaving>();
  const add = (layer: string, tokens: number): void => {
    if (tokens <= 0) return;
    const saved = byLayer.get(layer) ?? { layer, times: 0, tokens: 0 };
    byLayer.set(layer, { layer, times: saved.times + 1, tokens: saved.tokens + tokens });
  };
  const countShrink = (layer: string, result: ShrinkResult): ShrinkResult => {
    if (result.kind === "shrunk") add(layer, result.beforeTokens - result.afterTokens);
    return result;
  };
  const fitSteps: SessionContext["fitSteps"] = function* (input, signal) {
    const result = yield* context.fitSteps(input, signal);
    if (result.kind === "ready") for (const { layer, savedTokens } of result.applied) add(layer, savedTokens);
    return result;
  };
  return {
    ...context,
    fitSteps,
    fit: (input, signal) => toAsyncGenerator(fitSteps(input, signal)),
    async *drain(input, signal) {
      return countShrink("collapse_drain", yield* context.drain(input, signal));
    },
    async *compactReactively(input, signal) {
      return countShrink("reactive_compact", yield* context.compactReactively(input, signal));
    },
    async *compactManually(input, options, signal) {
      return countShrink("manual_compact", yield* context.compactManually(input, options, signal));
    },
    async fitToolResult(content, limits) {
      const fitted = await context.fitToolResult(content, limits);
      if (fitted !== content) add("tool_result_budget", toolResultTokens(content) - toolResultTokens(fitted));
      return fitted;
    },
    savings: () => Array.from(byLayer.values(), (saved) => ({ ...saved })),
  };
}
