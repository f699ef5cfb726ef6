/** Rewrites a conversation without some of its media, as one record. */
import type { CompactBoundaryMessage, Message } from "../protocol/index.ts";
import type { Pass } from "./layer.ts";
import { withoutMedia, type PlacedMedium } from "./media.ts";
import { requestTokens } from "./measure.ts";
import { createBoundary, hasBoundThinking } from "./rewrite.ts";
import { strippedThinkingMark } from "../protocol/new-record.ts";

export interface RewrittenConversation {
  messages: Message[];
  records: Message[];
  beforeTokens: number;
  afterTokens: number;
}

/** Replaces the media in `omittedMedia` by text, and strips thinking bound to them; undefined if `omittedMedia` is empty. */
export function leaveOutMedia(
  { world, input, messages }: Pass,
  omittedMedia: readonly PlacedMedium[],
  why: string,
  trigger: CompactBoundaryMessage["trigger"],
): RewrittenConversation | undefined {
  if (omittedMedia.length === 0) return undefined;
  const byMessage = Map.groupBy(omittedMedia, ({ at }) => at);
  const next = messages.map((message, at) => {
    const here = byMessage.get(at);
    return here === undefined ? message : withoutMedia(message, why, new Set(here.map(({ nth }) => nth)));
  });
  const changed = Math.min(...byMessage.keys());
  // Counts of requests that included the media do not apply to the next request.
  const kept = next.filter((message, index) => index < changed || message.type !== "response_end");
  if (hasBoundThinking(kept.slice(changed), input.model)) kept.push(strippedThinkingMark(world));
  const tokensOf = (some: readonly Message[]) => requestTokens(some, input.fixedTokens, world.memory.scale);
  const [beforeTokens, afterTokens] = [tokensOf(messages), tokensOf(kept)];
  const counts = { preTokens: beforeTokens, postTokens: afterTokens };
  const figures = { trigger, ...counts, lastSummarizedUuid: null, leftOut: "media" as const };
  world.history?.forgetShown();
  return { messages: kept, records: [createBoundary(world, figures, kept)], beforeTokens, afterTokens };
}
