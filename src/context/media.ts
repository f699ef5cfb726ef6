/** Images and documents replaced by a line of text: where the API refused them, and where only a summary is wanted. */
import type { ContentBlock, Message } from "../protocol/index.ts";
import { goneText } from "./media-text.ts";

const refused = "the API refused it";

/** `message` with its media replaced; `message` itself where it has none. */
export function withoutMedia(message: Message, why = refused): Message {
  if (message.type === "user") {
    const content = replaced(message.content, why);
    return content === message.content ? message : { ...message, content };
  }
  if (message.type !== "attachment" || message.attachment.kind !== "queued_command") return message;
  const prompt = replaced(message.attachment.prompt, why);
  return prompt === message.attachment.prompt ? message : { ...message, attachment: { ...message.attachment, prompt } };
}

export function hasMedia(message: Message): boolean {
  return withoutMedia(message) !== message;
}

/** Where the media the API has not taken yet begin: after the last response; 0 where there are none after it. */
export function newMediaStart(messages: readonly Message[]): number {
  let start = messages.length;
  let found = false;
  for (; start > 0; start--) {
    const message = messages[start - 1];
    if (message === undefined || message.type === "response_end") break;
    found ||= hasMedia(message);
  }
  return found ? start : 0;
}

function replaced(content: ContentBlock[], why: string): ContentBlock[] {
  let changed = false;
  const next = content.map((block): ContentBlock => {
    if (block.type === "image" || block.type === "document") {
      changed = true;
      return goneText(block, why);
    }
    if (block.type !== "tool_result" || typeof block.content === "string") return block;
    if (!block.content.some((inner) => inner.type !== "text")) return block;
    changed = true;
    return { ...block, content: block.content.map((inner) => (inner.type === "text" ? inner : goneText(inner, why))) };
  });
  return changed ? next : content;
}
