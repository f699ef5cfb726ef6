/** Thinking, readable or redacted, and which of it a conversation still sends. */
import type { ContentBlock, Message, RedactedThinkingBlock, ThinkingBlock } from "./message.ts";

export type Thinking = ThinkingBlock | RedactedThinkingBlock;

export function isThinking(block: ContentBlock): block is Thinking {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

/** Whether a block of thinking may be sent back to its model. A block that was cut has no signature, and an empty block is worthless. */
export function isSendableThinking(block: Thinking, allowsUnsigned: boolean): boolean {
  if (block.type === "redacted_thinking") return block.data !== "";
  return isSigned(block) || (allowsUnsigned && block.thinking.trim() !== "");
}

export function isSigned(block: ContentBlock): boolean {
  return block.type === "redacted_thinking" || (block.type === "thinking" && (block.signature ?? "") !== "");
}

/** Whether any thinking is signed. Unsigned thinking cannot be bound to anything. */
export function hasSignedThinking(messages: readonly Message[]): boolean {
  return messages.some((message) => message.type === "assistant" && message.content.some(isSigned));
}

/** Whether there is thinking of this model that is held back only because it is unsigned, and the API has not rejected any thinking. */
export function hasWithheldThinking(messages: readonly Message[], model: string): boolean {
  if (messages.some(isThinkingRejection)) return false;
  return messagesAfterStripping(messages).some(
    (message) =>
      message.type === "assistant" &&
      message.model === model &&
      message.content.some(
        (block) => isThinking(block) && !isSendableThinking(block, false) && isSendableThinking(block, true),
      ),
  );
}

/** Whether the message records that a server refused thinking: from then on it gets none that is unsigned. */
export function isThinkingRejection(message: Message): boolean {
  return message.type === "thinking_stripped" && message.reason === "rejected";
}

export function hasThinking(messages: readonly Message[]): boolean {
  return messages.some(isThinkingMessage);
}

function isThinkingMessage(message: Message): boolean {
  return message.type === "assistant" && message.content.some(isThinking);
}

/** Returns the messages whose thinking is sent: those after the last `thinking_stripped` record. */
export function messagesAfterStripping(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findLastIndex(({ type }) => type === "thinking_stripped") + 1);
}
