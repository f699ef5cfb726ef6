/** What the record of a collapsed span means, for whoever holds a conversation. */
import type { CollapseCommitMessage, Message } from "./message.ts";

/**
 * `messages` with what stands for the span in its place, and the record itself last. Pure. Where nothing of the span is there
 * any more, only the record is added.
 */
export function withCollapsed(messages: readonly Message[], commit: CollapseCommitMessage): Message[] {
  const targets = new Set(commit.targets);
  const next: Message[] = [];
  let isPlaced = false;
  for (const message of messages) {
    if (!targets.has(message.uuid)) {
      next.push(message);
      continue;
    }
    if (!isPlaced) next.push(...commit.messages);
    isPlaced = true;
  }
  next.push(commit);
  return next;
}
