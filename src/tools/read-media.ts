/** Images and PDF files as blocks the API accepts: too large ones are made smaller, or refused if nothing helps. */
import { pictureSize, type PictureType } from "../lib/image-header.ts";
import { base64Length, mostMediaBase64 } from "../protocol/media-limits.ts";
import { pdfFacts } from "../lib/pdf-facts.ts";
import { blockText } from "../protocol/block-text.ts";
import type { ToolResult } from "../protocol/tool.ts";
import type { MediaContent, ToolDependencies } from "./dependencies.ts";
import { ToolError } from "./failure.ts";
import { readWhole, type OpenedFile } from "./open-file.ts";
import { pdfPagesText, type PagesRequest } from "./pdf-pages.ts";
import { formatSize } from "./text-file.ts";

/** A larger file is not a useful picture for a conversation; it is not even read. */
const mostImageBytes = 64 << 20;
const mostPagesAtOnce = 10;

export async function readImage(
  file: OpenedFile,
  type: PictureType,
  fitMedia: ToolDependencies["fitMedia"],
  signal: AbortSignal,
): Promise<ToolResult> {
  const { size: originalSize } = file.stats;
  if (originalSize > mostImageBytes) {
    throw new ToolError(
      `${file.name} is too large for an image: ${formatSize(originalSize)}, and at most ${formatSize(mostImageBytes)} can be read. Make a smaller copy first, for instance with ImageMagick in Bash.`,
    );
  }
  const bytes = await readWhole(file, signal);
  const original = pictureSize(bytes);
  if (original === undefined) throw new ToolError(`${file.name} starts like ${type} but its header is damaged or cut.`);
  const block: MediaContent = {
    type: "image",
    source: { type: "base64", media_type: type, data: bytes.toString("base64") },
  };
  const content = (await fitMedia?.([block], { path: file.path, signal })) ?? [block];
  const shown = content.find((part) => part.type === "image");
  if (shown?.source.type !== "base64") throw new ToolError(blockText(content, "\n"));
  const { data, media_type: sentType } = shown.source;
  const display = pictureSize(Buffer.from(data, "base64")) ?? original;
  const dimensions = {
    originalWidth: original.width,
    originalHeight: original.height,
    displayWidth: display.width,
    displayHeight: display.height,
  };
  return { content, output: { type: "image", file: { base64: data, type: sentType, originalSize, dimensions } } };
}

export interface PdfRequest extends PagesRequest {
  /** `3` or `1-5`. */
  pages?: string;
}

export async function readPdf(file: OpenedFile, request: PdfRequest): Promise<ToolResult> {
  if (request.pages !== undefined && request.pages !== "") return await pdfPagesText(file, request.pages, request);
  const { size } = file.stats;
  if (base64Length(size) > mostMediaBase64) {
    throw new ToolError(
      `${file.name} is too large to be sent: ${formatSize(size)}, and a request takes up to ${formatSize((mostMediaBase64 / 4) * 3)} of PDF. Use the pages field, such as "1-5", to get some pages as text.`,
    );
  }
  const bytes = await readWhole(file, request.signal);
  const { pages = 0, encrypted = false } = pdfFacts(bytes) ?? {};
  if (encrypted) throw new ToolError(`${file.name} is encrypted, so the model cannot read it.`);
  if (pages > mostPagesAtOnce) {
    throw new ToolError(
      `${file.name} has about ${pages} pages, too many at once: ask for some of them with the pages field, such as "1-5" (up to 20).`,
    );
  }
  const base64 = bytes.toString("base64");
  return {
    content: [{ type: "document", source: { type: "base64", media_type: "application/pdf", data: base64 } }],
    output: { type: "pdf", file: { filePath: file.path, base64, originalSize: size } },
  };
}
