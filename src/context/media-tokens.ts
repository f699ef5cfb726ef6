/** Tokens of images and documents: from what their bytes say of their size, else the most they can be. */
import type { ContentBlock, DocumentBlock, ImageBlock, Message } from "../protocol/index.ts";
import { pictureSize } from "../lib/image-header.ts";
import { pdfFacts } from "../lib/pdf-facts.ts";

/** The most an image counts on any model: larger ones are scaled down. */
const mostImageTokens = 4_784;
const pixelsPerPatch = 28;
/** Text and picture of a page, the upper end of the published range. */
const tokensPerPage = 3_000;
/** A document behind a link: not seen, so taken for a short one. */
const unseenPages = 10;
const bytesPerPage = 100_000;
/** What the API takes. */
const mostPages = 600;
/** Base64 characters that hold the size of nearly every picture; a photograph's metadata may come first. */
const headerCharacters = 64 * 1024;

export function imageTokens(block: ImageBlock): number {
  if (block.source.type !== "base64") return mostImageTokens;
  const size = pictureSize(Buffer.from(block.source.data.slice(0, headerCharacters), "base64"));
  if (size === undefined) return mostImageTokens;
  const patches = Math.ceil(size.width / pixelsPerPatch) * Math.ceil(size.height / pixelsPerPatch);
  return Math.min(patches, mostImageTokens);
}

export function documentTokens(block: DocumentBlock, textTokens: (text: string) => number): number {
  const about = textTokens(block.title ?? "") + textTokens(block.context ?? "");
  if (block.source.type === "text") return about + textTokens(block.source.data);
  if (block.source.type === "base64") return about + pageBound(block.source.data) * tokensPerPage;
  return about + unseenPages * tokensPerPage;
}

/** The most the media of these messages can add to a bill beyond what the request's bytes bound. */
export function mediaTokenBound(messages: readonly Message[]): number {
  let sum = 0;
  for (const message of messages) {
    let bound = bounds.get(message);
    if (bound === undefined) bounds.set(message, (bound = boundOf(message)));
    sum += bound;
  }
  return sum;
}

/** Messages never change, and a document is costly to look through. */
const bounds = new WeakMap<Message, number>();

function boundOf(message: Message): number {
  const blocks =
    message.type === "user"
      ? message.content
      : message.type === "attachment" && message.attachment.kind === "queued_command"
        ? message.attachment.prompt
        : [];
  return blocks.reduce((sum, block) => sum + mostOf(block), 0);
}

function mostOf(block: ContentBlock): number {
  if (block.type === "image") return mostImageTokens;
  if (block.type === "document") return documentTokens(block, () => 0);
  if (block.type !== "tool_result" || typeof block.content === "string") return 0;
  return block.content.reduce((sum, inner) => sum + mostOf(inner), 0);
}

/** Those that are seen; at least one. */
export function pagesOf(data: string): number {
  return Math.max(1, pdfFacts(Buffer.from(data, "base64"))?.pages ?? 0);
}

/** Where pages are not seen, bytes tell of them. */
function pageBound(data: string): number {
  return Math.min(mostPages, Math.max(pagesOf(data), Math.ceil((data.length * 0.75) / bytesPerPage)));
}
