/** The model's answers in a conversation. The loop also writes assistant messages: errors, for people. */
import { blockText } from "./block-text.ts";
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

/** Returns the text of the last answer, as hooks receive it. */
export function lastAnswerText(messages: readonly Message[]): string {
  let messageId: string | null = null;
  const texts: string[] = [];
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]!;
    if (!isAnswer(message)) continue;
    if (messageId !== null && message.messageId !== messageId) break;
    messageId = message.messageId;
    for (const block of message.content.toReversed()) if (block.type === "text") texts.unshift(block.text);
  }
  return texts.join("");
}

/** Returns the text people were shown for the last API failure. Undefined if the API has answered since. */
export function lastFailureText(messages: readonly Message[]): string | undefined {
  const last = messages.findLast((message) => message.type === "assistant");
  if (last?.apiError === undefined) return undefined;
  return blockText(last.content);
}
