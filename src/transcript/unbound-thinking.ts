/** Finds thinking that follows a loss: it is bound to messages that no longer exist. */
import type { Message } from "../protocol/index.ts";
import { messagesAfterStripping, hasThinking } from "../protocol/thinking.ts";

/** `afterLoss`: uuids of messages before which something was lost. */
export function hasUnboundThinking(messages: readonly Message[], afterLoss: ReadonlySet<string>): boolean {
  if (afterLoss.size === 0) return false;
  // Thinking after a `thinking_stripped` mark refers to what is left.
  const live = messagesAfterStripping(messages);
  const known = new Set(messages.map(({ uuid }) => uuid));
  // A message after the loss was folded away since: all thinking that is left may be bound to what was lost.
  const isEarly = live.length === messages.length && [...afterLoss].some((uuid) => !known.has(uuid));
  const lost = isEarly ? 0 : live.findIndex(({ uuid }) => afterLoss.has(uuid));
  return lost >= 0 && hasThinking(live.slice(lost));
}
