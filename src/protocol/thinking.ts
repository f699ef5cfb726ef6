/** What a model thought, shown or sealed, and which of it a conversation still sends. */
import type { ContentBlock, Message, RedactedThinkingBlock, ThinkingBlock } from "./message.ts";

export type Thinking = ThinkingBlock | RedactedThinkingBlock;

export function isThinking(block: ContentBlock): block is Thinking {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

/** Whether a model may be given its thinking back: a cut block has no signature, and one that is empty says nothing. */
export function isWhole(block: Thinking, isUnsigned: boolean): boolean {
  if (block.type === "redacted_thinking") return block.data !== "";
  return isSigned(block) || (isUnsigned && block.thinking.trim() !== "");
}

export function isSigned(block: ContentBlock): boolean {
  return block.type === "redacted_thinking" || (block.type === "thinking" && (block.signature ?? "") !== "");
}

/** Unsigned thinking cannot be bound to anything. */
export function hasSignedThinking(messages: readonly Message[]): boolean {
  return messages.some((message) => message.type === "assistant" && message.content.some(isSigned));
}

/** Whether there is thinking of this model that only its signature kept from going back, and none was refused. */
export function holdsUnsigned(messages: readonly Message[], model: string): boolean {
  if (messages.some((message) => message.type === "thinking_stripped" && message.reason === "rejected")) return false;
  return behindStripped(messages).some(
    (message) =>
      message.type === "assistant" &&
      message.model === model &&
      message.content.some((block) => isThinking(block) && !isWhole(block, false) && isWhole(block, true)),
  );
}

export function hasThinking(messages: readonly Message[]): boolean {
  return messages.some(thinks);
}

function thinks(message: Message): boolean {
  return message.type === "assistant" && message.content.some(isThinking);
}

/** The messages whose thinking is sent: those behind the last mark that leaves it out. */
export function behindStripped(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findLastIndex(({ type }) => type === "thinking_stripped") + 1);
}
