/** Images and PDF files as blocks the API takes, refused here where it would refuse them and the conversation with them. */
import type { ToolResult } from "../protocol/tool.ts";
import { ToolError } from "./failure.ts";
import { imageSize, type ImageMediaType } from "./image-header.ts";
import { readWhole, type OpenedFile } from "./open-file.ts";
import { pdfPagesText, type PagesRequest } from "./pdf-pages.ts";
import { showSize } from "./text-file.ts";

/** API limits, platform.claude.com vision and PDF pages: 10 MB as base64, 8000 px a side, 2000 px where there are more than 20 images. */
const mostImageBase64 = 10 << 20;
const mostSide = 8000;
const mostSideAmongMany = 2000;
/** A request may have 32 MB in all, as base64. */
const mostPdfBase64 = 30 << 20;
const mostPagesAtOnce = 10;

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

export async function readImage(file: OpenedFile, type: ImageMediaType, signal: AbortSignal): Promise<ToolResult> {
  const { size } = file.stats;
  if (base64Length(size) > mostImageBase64) {
    throw new ToolError(
      `${file.name} is too large for an image: ${showSize(size)}, and the model takes up to ${showSize((mostImageBase64 / 4) * 3)}. Make a smaller copy first, for instance with ImageMagick in Bash.`,
    );
  }
  const bytes = await readWhole(file, signal);
  const dimensions = imageSize(bytes, type);
  if (dimensions === undefined)
    throw new ToolError(`${file.name} starts like ${type} but its header is damaged or cut.`);
  const { width, height } = dimensions;
  if (Math.max(width, height) > mostSide) {
    throw new ToolError(
      `${file.name} measures ${width} × ${height} pixels, and the model takes up to ${mostSide} a side. Make a smaller copy first, for instance with ImageMagick in Bash.`,
    );
  }
  const base64 = bytes.toString("base64");
  const image = { type: "image" as const, source: { type: "base64" as const, media_type: type, data: base64 } };
  const warning = {
    type: "text" as const,
    text: `[${width} × ${height} pixels. With more than 20 images in a conversation each may have ${mostSideAmongMany} a side: prefer a smaller copy.]`,
  };
  return {
    content: Math.max(width, height) > mostSideAmongMany ? [image, warning] : [image],
    output: {
      type: "image",
      file: { base64, type, originalSize: size, dimensions: { originalWidth: width, originalHeight: height } },
    },
  };
}

export interface PdfRequest extends PagesRequest {
  /** `3` or `1-5`. */
  pages?: string;
}

export async function readPdf(file: OpenedFile, request: PdfRequest): Promise<ToolResult> {
  if (request.pages !== undefined) return await pdfPagesText(file, request.pages, request);
  const { size } = file.stats;
  if (base64Length(size) > mostPdfBase64) {
    throw new ToolError(
      `${file.name} is too large to be sent: ${showSize(size)}, and a request takes up to ${showSize((mostPdfBase64 / 4) * 3)} of PDF. Ask for some pages as text with pages, such as "1-5".`,
    );
  }
  const bytes = await readWhole(file, request.signal);
  const text = bytes.toString("latin1");
  if (/\/Encrypt\s{0,8}(?:\d{1,9}\s{1,8}\d{1,9}\s{1,8}R|<<)/.test(text)) {
    throw new ToolError(`${file.name} is encrypted, so the model cannot read it.`);
  }
  const count = countPages(text);
  if (count > mostPagesAtOnce) {
    throw new ToolError(
      `${file.name} has about ${count} pages, too many at once: ask for some with pages, such as "1-5" (up to 20).`,
    );
  }
  const base64 = bytes.toString("base64");
  return {
    content: [{ type: "document", source: { type: "base64", media_type: "application/pdf", data: base64 } }],
    output: { type: "pdf", file: { filePath: file.path, base64, originalSize: size } },
  };
}

/** Page objects that are not packed; 0 where all are, which only a PDF library could count. */
function countPages(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(/\/Type\s{0,8}\/Page(?![A-Za-z])/g)) count += 1;
  return count;
}
