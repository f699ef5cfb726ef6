/** Layer 6: the API said the request is too long, or refused an image or document. */
import type { ContextEvent, ShrinkResult } from "../protocol/index.ts";
import { compact, shrinkResultOf } from "./compact.ts";
import { failedSummaries, type Overflow, type Pass } from "./layer.ts";
import { createBoundary } from "./rewrite.ts";
import { withoutHeavyMedia, withoutRefusedMedia } from "./media-refused.ts";
import { wholeTokens } from "./measure.ts";
import { learnScale } from "./scale.ts";
import { detectThrashing } from "./thrash.ts";
import { withSmallerResults } from "./unanswered-results.ts";
import { smallerOfTokensAndShare } from "./window.ts";

export async function* reactiveCompact(
  refusedPass: Pass,
  overflow: Overflow,
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, ShrinkResult> {
  if (overflow.media) return withoutRefusedMedia(refusedPass, overflow.refusal?.detail ?? "");
  const lighter = overflow.refusal?.status === 413 ? withoutHeavyMedia(refusedPass) : undefined;
  if (lighter !== undefined) return lighter;
  const { world, window, input } = refusedPass;
  const { memory, policy } = world;
  const stopped = input.tracking.isThrashing === true ? undefined : detectThrashing(refusedPass);
  if (stopped !== undefined) yield stopped;
  if (stopped !== undefined || input.tracking.isThrashing === true)
    return { kind: "no_progress", why: "compaction no longer gains anything" };
  learnScale(refusedPass, overflow.actualTokens ?? refusedPass.tokens);
  // The refused request may be far smaller than the stated window.
  const size = Math.min(window.effective, wholeTokens(refusedPass.messages, input.fixedTokens, memory.scale));
  const targetTokens = Math.floor(size * policy.trimTargetShare);
  const smaller = await withSmallerResults(refusedPass);
  if (smaller !== undefined && smaller.tokens <= targetTokens) return shrunkResult(refusedPass, smaller);
  const failures = failedSummaries(refusedPass);
  const compaction = yield* compact(
    smaller ?? refusedPass,
    {
      trigger: "reactive",
      tailTokens: smallerOfTokensAndShare(size, policy.keepRecentReactive),
      targetTokens,
      useModel: failures < policy.failuresUntilStop,
      useTrim: true,
      dropMedia: true,
    },
    signal,
  );
  memory.hasCompacted = compaction.ok;
  if (!compaction.ok && smaller !== undefined && smaller.tokens <= window.compactAt)
    return shrunkResult(refusedPass, smaller);
  if (compaction.ok) memory.failures = compaction.summarized ? 0 : failures + 1;
  return shrinkResultOf(compaction);
}

/** Progress is judged against what was sent; both sides use the same estimate. */
function shrunkResult({ world, tokens: beforeTokens }: Pass, { messages, tokens: afterTokens }: Pass): ShrinkResult {
  const figures = { preTokens: beforeTokens, postTokens: afterTokens, lastSummarizedUuid: null };
  const kept = [...messages];
  const boundary = createBoundary(world, { trigger: "reactive", ...figures }, kept);
  return { kind: "shrunk", messages: kept, records: [boundary], beforeTokens, afterTokens, committed: 0 };
}
