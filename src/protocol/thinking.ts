/** What a model thought, shown or sealed, and which of it a conversation still sends. */
import type { Message } from "./message.ts";

export function isThinking({ type }: { type: string }): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

export function hasThinking(messages: readonly Message[]): boolean {
  return messages.some(thinks);
}

export function thinks(message: Message): boolean {
  return message.type === "assistant" && message.content.some(isThinking);
}

/** The messages whose thinking is sent: those behind the last mark that leaves it out. */
export function behindStripped(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findLastIndex(({ type }) => type === "thinking_stripped") + 1);
}
