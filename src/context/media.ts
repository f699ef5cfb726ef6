/** Finds images and documents in a conversation, and replaces them by text. */
import { lastAnswer } from "../protocol/answers.ts";
import type { ContentBlock, Message } from "../protocol/index.ts";
import { removedMediaText, type Medium } from "./media-text.ts";

/** Returns a message's media in the order in which they are sent. */
export function mediaOf(message: Message): readonly Medium[] {
  const content = contentOf(message);
  // Most messages have none, and are not worth caching.
  if (!content.some(mayHoldMedia)) return noContent;
  let media = mediaByMessage.get(message);
  if (media === undefined) mediaByMessage.set(message, (media = content.flatMap(blockMedia)));
  return media;
}

const noContent: readonly never[] = [];
/** Messages never change. */
const mediaByMessage = new WeakMap<Message, readonly Medium[]>();

function mayHoldMedia(block: ContentBlock): boolean {
  const { type } = block;
  return type === "image" || type === "document" || (type === "tool_result" && typeof block.content !== "string");
}

/** Returns content from people, tools and hosts; empty for other messages. */
export function contentOf(message: Message): readonly ContentBlock[] {
  if (message.type === "user") return message.content;
  return message.type === "attachment" && message.attachment.kind === "queued_command"
    ? message.attachment.prompt
    : noContent;
}

function blockMedia(block: ContentBlock): Medium[] {
  if (block.type === "image" || block.type === "document") return [block];
  return block.type === "tool_result" && typeof block.content !== "string" ? block.content.flatMap(blockMedia) : [];
}

export interface PlacedMedium {
  medium: Medium;
  /** Index of the message, and the position among that message's media: the same block may appear in two places. */
  at: number;
  nth: number;
}

export function placedMedia(messages: readonly Message[]): PlacedMedium[] {
  return messages.flatMap((message, at) => mediaOf(message).map((medium, nth) => ({ medium, at, nth })));
}

/** Returns `message` with its media replaced, or only those at positions in `omittedIndexes`; `message` itself if nothing is replaced. */
export function withoutMedia(message: Message, why: string, omittedIndexes?: ReadonlySet<number>): Message {
  const count = mediaOf(message).length;
  if (count === 0 || omittedIndexes?.size === 0) return message;
  let nth = 0;
  const drops = (): boolean => omittedIndexes?.has(nth++) ?? true;
  if (message.type === "user") {
    const next = { ...message, content: replaceMedia(message.content, why, drops) };
    // The structured output for clients contains the same media.
    delete next.toolUseResult;
    return next;
  }
  if (message.type !== "attachment" || message.attachment.kind !== "queued_command") return message;
  const prompt = replaceMedia(message.attachment.prompt, why, drops);
  return { ...message, attachment: { ...message.attachment, prompt } };
}

/** Returns where the unanswered part begins: after the first block of the last response, because results may come between its blocks. */
export function unansweredStart(messages: readonly Message[]): number {
  const last = lastAnswer(messages);
  if (last === undefined) return 0;
  const isOfLast = (message: Message): boolean => message.type === "assistant" && message.messageId === last.messageId;
  return messages.findIndex(isOfLast) + 1;
}

function replaceMedia<Block extends ContentBlock>(content: Block[], why: string, drops: () => boolean): Block[] {
  return content.map((block) => {
    if (block.type === "image" || block.type === "document")
      return drops() ? (removedMediaText(block, why) as Block) : block;
    if (block.type !== "tool_result" || typeof block.content === "string") return block;
    return { ...block, content: replaceMedia(block.content, why, drops) };
  });
}
