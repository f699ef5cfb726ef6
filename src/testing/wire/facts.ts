/**
 * The facts about each part of a prompt that accounting and validation need, computed once per part. A memo keyed by the message
 * object makes the next request of a conversation cost only what is new in it.
 */
import { readSignature, type Seal } from "../signature.ts";
import { canonicalBlock, digestKey, digestText, parseDigestKey, type Digest } from "./digest.ts";
import { base64ImageSize, pdfPages, pdfProblem, type ImageSize } from "./media.ts";
import { asText, blocksOf, isObject, stringOrEmpty, type WireBlock, type WireMessage } from "./types.ts";

export type CacheTtl = "5m" | "1h";

export interface ImageFacts {
  size: ImageSize | undefined;
  /** Characters of base64; 0 if the image is given by URL or file id. */
  base64Length: number;
  declaredType: string;
  /** The API's complaint about data that cannot be an image; undefined for base64, or if the data is not in the request. */
  problem: string | undefined;
  /** The image's place in the block: empty, or `content.N.` inside a tool result. */
  inner: string;
}

export interface BlockFacts {
  type: string;
  digest: Digest;
  /** UTF-8 bytes of the block's JSON without `cache_control` and without media. */
  bytes: number;
  ttl: CacheTtl | undefined;
  images: ImageFacts[];
  documents: { pages: number; base64Length: number; problem: string | undefined }[];
  block: WireBlock;
  /** What the block's signature vouches for, if the scripted model made it and the text is unchanged. */
  seal: Seal | undefined;
  /** The prefix in the seal, ready for comparison. */
  sealedPrefix: Digest | undefined;
  /** The block has such a signature, but its text was changed. */
  isAltered: boolean;
}

export interface MessageFacts {
  role: string;
  blocks: BlockFacts[];
  message: WireMessage;
}

export type FactsMemo = WeakMap<object, MessageFacts | BlockFacts>;

export function messageFacts(message: WireMessage, memo?: FactsMemo): MessageFacts {
  const known = memo?.get(message);
  if (known !== undefined) return known as MessageFacts;
  const facts = { role: message.role, blocks: blocksOf(message.content).map(computeBlockFacts), message };
  memo?.set(message, facts);
  return facts;
}

/** For tools and system blocks. */
export function blockFacts(block: WireBlock, memo?: FactsMemo): BlockFacts {
  const known = memo?.get(block);
  if (known !== undefined) return known as BlockFacts;
  const facts = computeBlockFacts(block);
  memo?.set(block, facts);
  return facts;
}

function computeBlockFacts(block: WireBlock): BlockFacts {
  const images: ImageFacts[] = [];
  const documents: BlockFacts["documents"] = [];
  let mediaBytes = gatherMedia(block, "", images, documents);
  // A signature is not part of the prompt that the model reads.
  if (typeof block["signature"] === "string") mediaBytes += block["signature"].length;
  if (block.type === "tool_result" && Array.isArray(block["content"])) {
    block["content"].forEach((inner: unknown, index) => {
      if (isObject(inner)) mediaBytes += gatherMedia(inner as WireBlock, `content.${index}.`, images, documents);
    });
  }
  const json = canonicalBlock(block);
  return {
    type: asText(block.type ?? "custom"),
    digest: digestText(json),
    bytes: Buffer.byteLength(json) - mediaBytes,
    ttl: ttlOf(block),
    images,
    documents,
    block,
    ...sealFacts(block),
  };
}

/** Redacted data has no readable text that could have been altered, so only its seal is read. */
function sealFacts(block: WireBlock): Pick<BlockFacts, "seal" | "sealedPrefix" | "isAltered"> {
  const isSealed = block.type === "thinking" || block.type === "compaction" || block.type === "redacted_thinking";
  const seal = isSealed
    ? readSignature(block.type === "redacted_thinking" ? block["data"] : block["signature"])
    : undefined;
  if (seal === undefined) return { seal: undefined, sealedPrefix: undefined, isAltered: false };
  const text = stringOrEmpty(block[block.type === "thinking" ? "thinking" : "content"]);
  const isAltered = block.type !== "redacted_thinking" && seal.content !== digestKey(digestText(text));
  return { seal: isAltered ? undefined : seal, sealedPrefix: parseDigestKey(seal.prefix), isAltered };
}

/** A breakpoint inside a tool result counts as the result's own: no prefix ends between the two. */
function ttlOf(block: WireBlock): CacheTtl | undefined {
  const own = readTtl(block);
  if (own !== undefined || !Array.isArray(block["content"])) return own;
  for (const inner of block["content"] as unknown[]) {
    const found = isObject(inner) ? readTtl(inner) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function readTtl(block: Record<string, unknown>): CacheTtl | undefined {
  const control = block["cache_control"];
  if (!isObject(control)) return undefined;
  return control["ttl"] === "1h" ? "1h" : "5m";
}

function gatherMedia(
  block: WireBlock,
  inner: string,
  images: ImageFacts[],
  documents: BlockFacts["documents"],
): number {
  const source = block["source"];
  if (!isObject(source)) return 0;
  const data = source["type"] === "base64" && typeof source["data"] === "string" ? source["data"] : "";
  if (block.type === "image") {
    const size = data === "" ? undefined : base64ImageSize(data);
    const problem = source["type"] === "base64" ? base64Problem(data) : undefined;
    images.push({ size, base64Length: data.length, declaredType: stringOrEmpty(source["media_type"]), problem, inner });
  } else if (block.type === "document") {
    return gatherDocument(source, data, inner, images, documents);
  } else {
    return 0;
  }
  return data.length;
}

/** Only a PDF has pages. A document given as text or as blocks consists of its text and its images. */
function gatherDocument(
  source: Record<string, unknown>,
  data: string,
  inner: string,
  images: ImageFacts[],
  documents: BlockFacts["documents"],
): number {
  const { type, content } = source;
  if (type === "text") return 0;
  if (type === "content") {
    if (!Array.isArray(content)) return 0;
    const sizes = content.map((block: unknown, index) => {
      const isImage = isObject(block) && block["type"] === "image";
      return isImage ? gatherMedia(block as WireBlock, `${inner}source.content.${index}.`, images, documents) : 0;
    });
    return sizes.reduce((sum, size) => sum + size, 0);
  }
  const bytes = Buffer.from(data, "base64");
  const problem = type === "base64" ? pdfProblem(bytes) : undefined;
  documents.push({ pages: data === "" ? 1 : pdfPages(bytes), base64Length: data.length, problem });
  return data.length;
}

/** Padding and line breaks are accepted: nothing public says how the API treats them. */
function base64Problem(data: string): string | undefined {
  if (data === "") return "image cannot be empty";
  return /^[\w+/=\s-]*$/.test(data) ? undefined : "invalid base64 data";
}
