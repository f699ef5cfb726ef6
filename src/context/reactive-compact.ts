/** Layer 6: the API said the request is too long, or would not take an image or document. */
import type { ContextEvent, ShrinkResult } from "../protocol/index.ts";
import { compact } from "./compact.ts";
import type { Overflow, Pass } from "./layer.ts";
import { withoutHeavyMedia, withoutRefused } from "./media-refused.ts";
import { wholeTokens } from "./measure.ts";
import { learnScale } from "./scale.ts";
import { thrashing } from "./thrash.ts";
import { shareOf } from "./window.ts";

export async function* reactiveCompact(
  pass: Pass,
  overflow: Overflow,
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, ShrinkResult> {
  if (overflow.media) return withoutRefused(pass, overflow.refusal?.detail ?? "");
  const lighter = overflow.refusal?.status === 413 ? withoutHeavyMedia(pass) : undefined;
  if (lighter !== undefined) return lighter;
  const { world, window, input } = pass;
  const { memory, policy } = world;
  const stopped = input.tracking.isThrashing === true ? undefined : thrashing(pass);
  if (stopped !== undefined) yield stopped;
  if (stopped !== undefined || input.tracking.isThrashing === true)
    return { kind: "no_progress", why: "compacting wins nothing any more" };
  learnScale(pass, overflow.actualTokens ?? pass.tokens);
  // What was refused may be far smaller than the window is said to be.
  const size = Math.min(window.effective, wholeTokens(pass.messages, input.fixedTokens, memory.scale));
  const failures = Math.max(memory.failures, input.tracking.consecutiveFailures);
  const compaction = yield* compact(
    pass,
    {
      trigger: "reactive",
      tailTokens: shareOf(size, policy.keepRecentReactive),
      targetTokens: Math.floor(size * policy.trimTargetShare),
      useModel: failures < policy.failuresUntilStop,
      useTrim: true,
      dropMedia: true,
    },
    signal,
  );
  memory.hasCompacted = compaction.ok;
  if (!compaction.ok) return { kind: "no_progress", why: compaction.why };
  memory.failures = compaction.summarized ? 0 : failures + 1;
  const { messages, boundary, beforeTokens, afterTokens } = compaction;
  return { kind: "shrunk", messages, records: [boundary], beforeTokens, afterTokens, committed: 0 };
}
