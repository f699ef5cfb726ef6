/** How far estimates are off for this session's text: real tokens over estimated ones, learnt where something was counted. */
import type { Pass } from "./layer.ts";
import { wholeTokens } from "./measure.ts";

const [least, most] = [0.5, 4];

/** `tokens`: what the conversation of this pass is known to have. */
export function learnScale({ world, input, messages }: Pass, tokens: number): void {
  const estimated = wholeTokens(messages, input.fixedTokens);
  if (tokens > 0 && estimated > 0) world.memory.scale = Math.min(most, Math.max(least, tokens / estimated));
}
