/** Learns how far estimates are off for this session's text: the ratio of real to estimated tokens, from counted responses. */
import { totalInputTokens, type Message } from "../protocol/index.ts";
import type { Pass } from "./layer.ts";
import { spanTokens, wholeTokens, type CountedResponse } from "./measure.ts";

const [leastScale, mostScale] = [0.5, 4];

/** Learns the ratio from a conversation. `tokens`: what this pass's conversation is known to have. */
export function learnScale({ world, input, messages }: Pass, tokens: number): void {
  const estimated = wholeTokens(messages, input.fixedTokens);
  if (tokens > 0 && estimated > 0) world.memory.scale = Math.min(mostScale, Math.max(leastScale, tokens / estimated));
}

const [leastRatio, mostRatio] = [0.5, 2];

/** Returns the ratio for the last counted response. `before`: the estimate of the messages it counted, if known. */
export function realTokenRatio(
  messages: readonly Message[],
  fixedTokens: number,
  scale: number,
  anchor: CountedResponse | undefined,
  before?: number,
): number {
  if (anchor === undefined) return scale;
  const count = totalInputTokens(anchor.end.usage) - anchor.removedTokens;
  const estimated = fixedTokens + (before ?? spanTokens(messages.slice(0, anchor.start)));
  return Math.min(mostRatio, Math.max(leastRatio, count / Math.max(1, estimated)));
}
