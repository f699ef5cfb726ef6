/**
 * Where a conversation may be cut: never between a call and its result, and never inside a response, so that both the kept and the removed
 * part consist of whole turns.
 */
import type { Message, UserMessage } from "../protocol/index.ts";

/** Returns ascending indexes `i` such that `messages.slice(0, i)` and `messages.slice(i)` are both whole, excluding 0 and the length. */
export function cutPoints(messages: readonly Message[]): number[] {
  const spans = closingIndexes(messages);
  const points: number[] = [];
  let openUntil = 0;
  for (const [index, message] of messages.entries()) {
    if (index > 0 && index >= openUntil && beginsPart(message)) points.push(index);
    openUntil = Math.max(openUntil, spans.get(index) ?? 0);
  }
  return points;
}

/** Whether the user begins something new with this message: a cut before it interrupts no work in progress. */
export function isPrompt(message: Message | undefined): message is UserMessage {
  if (message?.type !== "user" || message.isMeta === true || message.isCompactSummary === true) return false;
  return !message.content.some((block) => block.type === "tool_result");
}

/** Counts the messages at the start that are pinned user context: memory files, date. */
export function headLength(messages: readonly Message[]): number {
  let length = 0;
  while (isContext(messages[length])) length++;
  return length;
}

export function isContext(message: Message | undefined): boolean {
  return message?.type === "user" && message.origin === "context";
}

/** Maps each index that opens something to the index after what closes it: a response's last block, a call's last result. */
function closingIndexes(messages: readonly Message[]): Map<number, number> {
  const responses = new Map<string, { from: number; to: number }>();
  const calls = new Map<string, number>();
  const spans = new Map<number, number>();
  const extend = (from: number, to: number) => spans.set(from, Math.max(spans.get(from) ?? 0, to));
  for (const [index, message] of messages.entries()) {
    if (message.type === "assistant" || message.type === "response_end") {
      const span = responses.get(message.messageId) ?? { from: index, to: index };
      span.to = index;
      responses.set(message.messageId, span);
    }
    if (message.type === "assistant") {
      for (const block of message.content) if (block.type === "tool_use") calls.set(block.id, index);
    }
    if (message.type !== "user") continue;
    for (const block of message.content) {
      const from = block.type === "tool_result" ? calls.get(block.tool_use_id) : undefined;
      if (from !== undefined) extend(from, index + 1);
    }
  }
  for (const { from, to } of responses.values()) extend(from, to + 1);
  return spans;
}

/** Whether a message begins a part. Marks and notes belong to the message they follow. */
export function beginsPart(message: Message): boolean {
  return message.type === "user" || message.type === "assistant" || message.type === "attachment";
}
