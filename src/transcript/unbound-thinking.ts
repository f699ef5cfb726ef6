/** Thinking that came after what was lost: it is bound to what is not there any more. */
import type { Message } from "../protocol/index.ts";
import { behindStripped, hasThinking } from "../protocol/thinking.ts";

/** `afterLoss`: uuids of messages before which something was lost. */
export function hasUnboundThinking(messages: readonly Message[], afterLoss: ReadonlySet<string>): boolean {
  if (afterLoss.size === 0) return false;
  // What came after such a mark was thought about what is left.
  const live = behindStripped(messages);
  const known = new Set(messages.map(({ uuid }) => uuid));
  // What the file has folded away since may have held it.
  const isEarly = live.length === messages.length && [...afterLoss].some((uuid) => !known.has(uuid));
  const lost = isEarly ? 0 : live.findIndex(({ uuid }) => afterLoss.has(uuid));
  return lost >= 0 && hasThinking(live.slice(lost));
}
