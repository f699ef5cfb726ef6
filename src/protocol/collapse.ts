/** Applies the record of a collapsed span to a conversation. */
import type { CollapseCommitMessage, Message } from "./message.ts";

/** Returns `messages` with the span replaced by its summary, and the record last. Pure. If nothing of the span is left, only adds it. */
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
