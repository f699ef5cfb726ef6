/** The conversation as a pure fold of its message records. */
import type { Message } from "../protocol/index.ts";

/**
 * `messages` after one more record. A tombstone takes its targets away and is not kept; a boundary puts its own messages
 * in the place of all before it; everything else is added at the end.
 */
export function fold(messages: readonly Message[], message: Message): Message[] {
  const next = [...messages];
  foldInto(next, message);
  return next;
}

/** `fold` that changes `messages`: for folding a whole file without a copy a record. */
export function foldInto(messages: Message[], message: Message): void {
  switch (message.type) {
    case "tombstone":
      return removeTargets(messages, new Set(message.targets));
    case "compact_boundary":
      messages.length = 0;
      for (const inner of message.messages) messages.push(inner);
      return;
    default:
      messages.push(message);
  }
}

/** From the end, where the targets are. */
function removeTargets(messages: Message[], targets: Set<string>): void {
  for (let index = messages.length - 1; index >= 0 && targets.size > 0; index--) {
    if (targets.delete(messages[index]?.uuid ?? "")) messages.splice(index, 1);
  }
}
