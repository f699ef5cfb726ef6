/**
 * Makes images and documents fit before they are first sent; all media pass through here before they are recorded. A medium that is too
 * large is scaled down; if that is impossible it is left out, and a line of text says why and where it is. Nothing is changed after it was
 * sent, so an image must fit among any number of other images from the start.
 */
import { errorText } from "../lib/error-text.ts";
import { pictureSize, pictureType, type PictureSize, type PictureType } from "../lib/image-header.ts";
import { loadOnce } from "../lib/load-once.ts";
import {
  base64Length,
  mostImageBase64,
  mostImageBase64Anywhere,
  mostImageSide,
  mostMediaBase64,
  mostPixels,
  mostSideUnpacked,
} from "../protocol/media-limits.ts";
import { isPdf, pdfFacts } from "../lib/pdf-facts.ts";
import type { ContentBlock, DocumentBlock, ImageBlock } from "../protocol/index.ts";
import { sizeToSend } from "./media-size.ts";
import type { FittedPart, FitOptions, MediaFitDeps, MediaTerms } from "./media-fit-types.ts";
import { createLimitedSignal } from "./time-limit.ts";
import { bytesText, leftOutText, scaledText, sizeText, tooLargeText, type Medium } from "./media-text.ts";

/** For all media of one message together, ms. */
const limitMs = 45_000;

const loadShrink = loadOnce(() => import("../lib/image/shrink.ts"));

export async function fitMedia<Block extends ContentBlock>(
  content: Block[],
  { signal, path }: FitOptions,
  deps: MediaFitDeps,
): Promise<(Block | FittedPart)[]> {
  const within = createLimitedSignal(deps, limitMs, signal);
  try {
    return await new MediaFitter(deps, within.signal, path).fitAll(content);
  } finally {
    within.end();
  }
}

class MediaFitter {
  readonly #deps: MediaFitDeps;
  readonly #signal: AbortSignal;
  readonly #path: string | undefined;
  readonly #terms: MediaTerms;

  constructor(deps: MediaFitDeps, signal: AbortSignal, path: string | undefined) {
    this.#deps = deps;
    this.#signal = signal;
    this.#path = path;
    this.#terms = deps.terms();
  }

  async fitAll<Block extends ContentBlock>(content: Block[]): Promise<(Block | FittedPart)[]> {
    const fitted: (Block | FittedPart)[] = [];
    let changed = false;
    for (const block of content) {
      if (block.type === "image" || block.type === "document") {
        const made = await this.#fitMedium(block);
        changed ||= made[0] !== block || made.length > 1;
        fitted.push(...made);
      } else if (block.type === "tool_result" && typeof block.content !== "string") {
        const inner = await this.fitAll(block.content);
        changed ||= inner !== block.content;
        fitted.push(inner === block.content ? block : { ...block, content: inner });
      } else fitted.push(block);
    }
    return changed ? fitted : content;
  }

  /** The type is taken from the bytes, whatever the block calls it. */
  async #fitMedium(block: Medium): Promise<FittedPart[]> {
    const data = inlineData(block.source);
    if (data === undefined) return [block];
    const bytes = decodeBase64(data);
    const type = pictureType(bytes);
    if (type !== undefined) return await this.#fitImage(block, bytes, type);
    if (isPdf(bytes)) return [await this.#fitPdf(block, bytes)];
    const ending =
      block.type === "document" ? /\.([a-z0-9]{1,8})$/u.exec(block.title?.toLowerCase() ?? "")?.[1] : undefined;
    if (ending !== undefined && ending !== "pdf")
      return [await this.#leaveOut(block, bytes, "", "it cannot be shown here", ending)];
    const kinds = block.type === "image" ? "PNG, JPEG, GIF or WebP" : "PDF";
    return [await this.#leaveOut(block, bytes, "", `its data is not a valid ${kinds} file`, "bin")];
  }

  async #fitImage(block: Medium, bytes: Buffer, type: PictureType): Promise<FittedPart[]> {
    const size = pictureSize(bytes);
    const measures = size === undefined ? "" : `${sizeText(size)} pixels, `;
    const extension = type.slice("image/".length);
    const leftOut = (why: string): Promise<FittedPart> =>
      this.#leaveOut(block, bytes, `${type}, ${measures}`, why, extension);
    if (size === undefined) return [await leftOut("its header is damaged or cut")];
    const target = sizeToSend(size, this.#terms);
    const asItIs = withSource(block, { type: "base64", media_type: type, data: bytes.toString("base64") });
    const { length } = asItIs.source.data;
    if (target === size && length <= mostImageBase64) return [asItIs];
    const isWithin = Math.max(size.width, size.height) <= mostImageSide;
    if (type === "image/gif" || type === "image/webp") {
      if (isWithin && length <= mostImageBase64Anywhere) return [asItIs];
      const convert = `a ${extension} file is not made smaller here; convert it to PNG or JPEG, for instance with ImageMagick`;
      return [await leftOut(`${tooLargeText}: ${convert}`)];
    }
    if (size.width * size.height > mostPixels || Math.max(size.width, size.height) > mostSideUnpacked)
      return [await leftOut("it has more pixels than can be made smaller here")];
    try {
      return await this.#shrinkImage(bytes, target);
    } catch (error) {
      // It is only larger than the model needs: the provider scales it down.
      if (isWithin && length <= mostImageBase64) return [asItIs];
      return [await leftOut(`${tooLargeText}, and ${errorText(error)}`)];
    }
  }

  async #shrinkImage(bytes: Buffer, target: PictureSize): Promise<FittedPart[]> {
    const shrink = this.#deps.shrink ?? (await loadShrink()).shrink;
    const made = await shrink({ bytes, target, mostBytes: (mostImageBase64 / 4) * 3 }, this.#signal);
    const data = Buffer.from(made.bytes).toString("base64");
    const image: ImageBlock = { type: "image", source: { type: "base64", media_type: made.type, data } };
    const { original, size } = made;
    const isScaled = original.width !== size.width || original.height !== size.height;
    return isScaled ? [image, scaledText(original, size)] : [image];
  }

  async #fitPdf(block: Medium, bytes: Buffer): Promise<FittedPart> {
    const { pages = 0, encrypted = false } = pdfFacts(bytes) ?? {};
    const why = encrypted ? "it is locked with a password" : this.#sizeProblem(pages, bytes.length);
    const about = `application/pdf, ${pages > 0 ? `${pages} pages, ` : ""}`;
    if (why !== undefined) return await this.#leaveOut(block, bytes, about, why, "pdf");
    return withSource(block, { type: "base64", media_type: "application/pdf", data: bytes.toString("base64") });
  }

  #sizeProblem(pages: number, bytes: number): string | undefined {
    const { pdfPages } = this.#terms;
    if (pages > pdfPages) return `the model takes up to ${pdfPages} pages; extract the ones that matter`;
    if (base64Length(bytes) > mostMediaBase64)
      return "it is larger than a request may be; extract the pages that matter";
    return undefined;
  }

  /** If the disk cannot save the file, the text names no path and the turn continues. */
  async #leaveOut(block: Medium, bytes: Buffer, about: string, why: string, extension: string): Promise<FittedPart> {
    const path = this.#path ?? (await this.#deps.saveFile?.(bytes, extension).catch(() => undefined));
    return leftOutText(block, about + bytesText(bytes.length), why, path);
  }
}

/** Returns data contained in the message; undefined for data that only the server has, or fetches. */
function inlineData(source: Medium["source"]): string | undefined {
  if (source.type === "base64") return source.data;
  return source.type === "url" && source.url.startsWith("data:") ? source.url : undefined;
}

/** Decodes base64 in any form libraries produce: a data URL, with line breaks, in the URL alphabet. */
function decodeBase64(data: string): Buffer {
  const comma = data.startsWith("data:") ? data.indexOf(",") : -1;
  return Buffer.from(comma < 0 ? data : data.slice(comma + 1), "base64");
}

type ImageData = Extract<ImageBlock["source"], { type: "base64" }>;
type PdfData = Extract<DocumentBlock["source"], { type: "base64" }>;

/** Returns `block` itself if it has that source already, else a block of the kind that fits the source. */
function withSource(block: Medium, source: ImageData): ImageBlock & { source: ImageData };
function withSource(block: Medium, source: PdfData): DocumentBlock;
function withSource(block: Medium, source: ImageData | PdfData): Medium {
  const isDocument = source.media_type === "application/pdf";
  const own = block.source;
  const isSame = own.type === "base64" && own.media_type === source.media_type && own.data === source.data;
  if (isSame && (block.type === "document") === isDocument) return block;
  if (!isDocument) return { type: "image", source };
  return block.type === "document" ? { ...block, source } : { type: "document", source };
}
