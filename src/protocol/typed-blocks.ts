/** What a person said in a conversation. */
import { blockText } from "./block-text.ts";
import type { ContentBlock, Message } from "./message.ts";

/** Returns the blocks that a person typed, as a prompt or during an answer; undefined for every other message. */
export function typedBlocks(message: Message): readonly ContentBlock[] | undefined {
  if (message.type === "user") return message.origin === "human" ? message.content : undefined;
  if (message.type !== "attachment" || message.attachment.kind !== "queued_command") return undefined;
  return message.attachment.prompt;
}

/**
 * Returns what a person said in their own words, however it reached the session: also through a program, and in records that name no
 * origin. Undefined for every other message, such as a result or a summary.
 */
export function personContent(message: Message): readonly ContentBlock[] | undefined {
  if (message.type === "attachment")
    return message.attachment.kind === "queued_command" ? message.attachment.prompt : undefined;
  if (message.type !== "user" || message.isMeta === true || message.isCompactSummary === true) return undefined;
  const isOfPerson = message.origin === undefined || message.origin === "human" || message.origin === "queued";
  const isResult = message.content.some((block) => block.type === "tool_result");
  return isOfPerson && !isResult ? message.content : undefined;
}

export function typedText(message: Message): string | undefined {
  const blocks = typedBlocks(message);
  return blocks === undefined ? undefined : blockText(blocks, "\n");
}
