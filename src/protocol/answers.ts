/** The model's answers in a conversation. The loop also writes assistant messages: errors, for people. */
import type { AssistantMessage, Message } from "./message.ts";

export function isAnswer(message: Message): message is AssistantMessage {
  return message.type === "assistant" && message.apiError === undefined;
}

/** Returns the last message of the last answer: an answer has one message per block. */
export function lastAnswer(messages: readonly Message[]): AssistantMessage | undefined {
  return messages.findLast(isAnswer);
}

/** Returns the blocks of the answer with this message id. */
export function answerBlocks(messages: readonly Message[], messageId: string): AssistantMessage["content"] {
  return messages.flatMap((message) =>
    message.type === "assistant" && message.messageId === messageId ? message.content : [],
  );
}
