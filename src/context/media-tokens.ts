/** Tokens of images and documents: computed from their size if the bytes reveal it, else the most they can be. */
import type {
  ApiMessage,
  ContentBlock,
  DocumentBlock,
  ImageBlock,
  MediaFacts,
  Message,
  ModelInfo,
} from "../protocol/index.ts";
import { pictureSize } from "../lib/image-header.ts";
import { mostImageTokens, mostPdfPages, pictureTokens } from "../protocol/media-limits.ts";
import { pdfFacts } from "../lib/pdf-facts.ts";
import { contentOf } from "./media.ts";

/** Text and picture of a page, at the upper end of the published range. */
const tokensPerPage = 3_000;
/** A document behind a link cannot be seen. For measuring the window it is assumed to be short; a bill is bounded by the most it can be. */
const linkedDocumentPages = 10;
const bytesPerPage = 100_000;
/** The API's limit. */
const mostPages = 600;
/** Base64 characters that contain the size of nearly every picture; a photograph's metadata may come first. */
const headerCharacters = 64 * 1024;

export function imageTokens(block: ImageBlock): number {
  if (block.source.type !== "base64") return mostImageTokens;
  const size = pictureSize(Buffer.from(block.source.data.slice(0, headerCharacters), "base64"));
  if (size === undefined) return mostImageTokens;
  return pictureTokens(size);
}

export function documentTokens(block: DocumentBlock, textTokens: (text: string) => number): number {
  const about = textTokens(block.title ?? "") + textTokens(block.context ?? "");
  if (block.source.type === "text") return about + textTokens(block.source.data);
  if (block.source.type === "base64") return about + pageBound(block.source.data) * tokensPerPage;
  return about + linkedDocumentPages * tokensPerPage;
}

interface Bound {
  tokens: number;
  /** Whether it has documents behind links. */
  hasLinkedDocuments: boolean;
}

/** No model that takes documents has a smaller window, whatever settings say. */
const leastWindow = 200_000;

/**
 * Returns the most tokens that the media of these messages can add to a bill beyond the bound given by the request's bytes. All documents
 * behind links together have at most as many pages as a request takes, and no more tokens than the model's window: a longer request is not
 * answered.
 */
export function mediaTokenBound(
  messages: readonly Message[],
  { window = Infinity, isCounted = false }: MediaFacts = {},
): number {
  let sum = 0;
  let hasLinkedDocuments = false;
  for (const message of messages) {
    let bound = bounds.get(message);
    if (bound === undefined) bounds.set(message, (bound = messageBound(message)));
    sum += bound.tokens;
    hasLinkedDocuments ||= bound.hasLinkedDocuments;
  }
  if (!hasLinkedDocuments || isCounted) return sum;
  return sum + Math.min(mostPdfPages(window) * tokensPerPage, Math.max(window, leastWindow));
}

/** Cached, because messages never change and a document is costly to search. */
const bounds = new WeakMap<Message, Bound>();

function messageBound(message: Message): Bound {
  const blocks = contentOf(message);
  return {
    tokens: blocks.reduce((sum, block) => sum + blockTokenBound(block), 0),
    hasLinkedDocuments: blocks.some(isLinkedDocument),
  };
}

function isLinkedDocument(block: ContentBlock): boolean {
  if (block.type === "document") return block.source.type !== "text" && block.source.type !== "base64";
  return block.type === "tool_result" && typeof block.content !== "string" && block.content.some(isLinkedDocument);
}

function blockTokenBound(block: ContentBlock): number {
  if (block.type === "image") return mostImageTokens;
  if (block.type === "document") return isLinkedDocument(block) ? 0 : documentTokens(block, () => 0);
  if (block.type !== "tool_result" || typeof block.content === "string") return 0;
  return block.content.reduce((sum, inner) => sum + blockTokenBound(inner), 0);
}

/**
 * Returns the bytes of base64 in a request that are not needed to bound the bill, because `mediaTokenBound` covers them. Only for models
 * whose provider scales pictures down: what other models count for a picture is unknown. For a PDF page, that bound covers the text, and
 * its picture is left to the bytes.
 */
export function boundedMediaBytes(messages: readonly ApiMessage[], { imageTokens: scaled }: ModelInfo): number {
  if (scaled === undefined) return 0;
  return messages.reduce((sum, { content }) => sum + content.reduce((bytes, block) => bytes + blockBytes(block), 0), 0);
}

/** The two functions of the Context port. */
export const mediaBounds = { mediaTokens: mediaTokenBound, mediaBytes: boundedMediaBytes };

/** Cached, because blocks never change and every request contains them again. */
const documentBytes = new WeakMap<DocumentBlock, number>();

function blockBytes(block: ContentBlock): number {
  if (block.type === "image") return block.source.type === "base64" ? block.source.data.length : 0;
  if (block.type === "tool_result" && typeof block.content !== "string")
    return block.content.reduce((sum, inner) => sum + blockBytes(inner), 0);
  if (block.type !== "document" || block.source.type !== "base64") return 0;
  const { data } = block.source;
  const known = documentBytes.get(block) ?? Math.max(0, data.length - pageBound(data) * mostImageTokens);
  documentBytes.set(block, known);
  return known;
}

/** Returns the number of pages found in a PDF; at least one. */
export function pdfPageCount(data: string): number {
  return Math.max(1, pdfFacts(Buffer.from(data, "base64"))?.pages ?? 0);
}

/** Returns the most pages a PDF may have: those found, or one for each `bytesPerPage` if that is more. */
function pageBound(data: string): number {
  return Math.min(mostPages, Math.max(pdfPageCount(data), Math.ceil((data.length * 0.75) / bytesPerPage)));
}
