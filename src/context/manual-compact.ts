/** Compacts by hand: a summary is tried whatever failed before. If it fails and the window is full, room is made without one. */
import type { ContextEvent, ShrinkResult } from "../protocol/index.ts";
import { compact, shrinkResultOf } from "./compact.ts";
import type { Pass } from "./layer.ts";
import { learnScale } from "./scale.ts";
import { spanTokens, wholeTokens } from "./measure.ts";
import { smallerOfTokensAndShare } from "./window.ts";

export interface ManualOptions {
  /** What the summary should focus on, in the user's words. */
  instructions?: string;
}

/** The largest share of the current conversation that stays verbatim: a user who asks for a short conversation gets one. */
const keptShare = 0.25;

export async function* compactManually(
  pass: Pass,
  { instructions }: ManualOptions,
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, ShrinkResult> {
  const { world, window, input } = pass;
  const { memory, policy } = world;
  learnScale(pass, pass.tokens);
  memory.failures = 0;
  memory.refills = 0;
  memory.hasCompacted = false;
  memory.hasReportedStop = false;
  const size = Math.min(window.effective, wholeTokens(pass.messages, input.fixedTokens, memory.scale));
  const kept = spanTokens(pass.messages) * memory.scale * keptShare;
  const compaction = yield* compact(
    pass,
    {
      trigger: "manual",
      instructions,
      tailTokens: Math.min(smallerOfTokensAndShare(window.effective, policy.keepRecent), kept),
      targetTokens: Math.floor(size * policy.trimTargetShare),
      fillTokens: Math.floor(window.effective * policy.trimTargetShare),
      useModel: true,
      useTrim: pass.tokens >= window.blockAt,
      dropMedia: true,
    },
    signal,
  );
  return shrinkResultOf(compaction);
}
