/** Layer 6: the API said the request is too long, or would not take an image or document. */
import type { ContextEvent, Message, ShrinkResult } from "../protocol/index.ts";
import { compact } from "./compact.ts";
import type { Overflow, Pass } from "./layer.ts";
import { newMediaStart, withoutMedia } from "./media.ts";
import { requestTokens, wholeTokens } from "./measure.ts";
import { learnScale } from "./scale.ts";
import { thrashing } from "./thrash.ts";
import { bindsThinking, boundaryOf, hasThinking, strippedMark } from "./rewrite.ts";
import { shareOf } from "./window.ts";

export async function* reactiveCompact(
  pass: Pass,
  overflow: Overflow,
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, ShrinkResult> {
  if (overflow.media) return withoutRefusedMedia(pass);
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

/** The media the API has not taken yet are the ones it refused; where there are none, any may be. */
function withoutRefusedMedia({ world, input, messages }: Pass): ShrinkResult {
  const start = newMediaStart(messages);
  const next = messages.map((message, index) => (index < start ? message : withoutMedia(message)));
  const changed = next.findIndex((message, index) => message !== messages[index]);
  if (changed < 0) return { kind: "no_progress", why: "the conversation holds no image or document to leave out" };
  const after = next.slice(changed);
  if (bindsThinking(input.model) && hasThinking(after)) next.push(strippedMark(world));
  const [beforeTokens, afterTokens] = [tokensOf(messages), Math.min(tokensOf(next), tokensOf(messages) - 1)];
  const figures = {
    trigger: "reactive" as const,
    preTokens: beforeTokens,
    postTokens: afterTokens,
    lastSummarizedUuid: null,
  };
  return {
    kind: "shrunk",
    messages: next,
    records: [boundaryOf(world, figures, next)],
    beforeTokens,
    afterTokens,
    committed: 0,
  };

  function tokensOf(some: readonly Message[]): number {
    return requestTokens(some, input.fixedTokens, world.memory.scale);
  }
}
