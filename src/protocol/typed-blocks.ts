/** Text that a person has typed. */
import { blockText } from "./block-text.ts";
import type { ContentBlock, Message } from "./message.ts";

/** Returns the blocks that a person typed, as a prompt or during an answer; undefined for every other message. */
export function typedBlocks(message: Message): readonly ContentBlock[] | undefined {
  if (message.type === "user") return message.origin === "human" ? message.content : undefined;
  if (message.type !== "attachment" || message.attachment.kind !== "queued_command") return undefined;
  return message.attachment.prompt;
}

export function typedText(message: Message): string | undefined {
  const blocks = typedBlocks(message);
  return blocks === undefined ? undefined : blockText(blocks, "\n");
}
