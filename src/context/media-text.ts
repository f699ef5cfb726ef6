/** The lines that replace media that were left out or changed. */
import type { PictureSize } from "../lib/image-header.ts";
import { mostImageBase64, mostImageSide } from "../protocol/media-limits.ts";
import type { DocumentBlock, ImageBlock, TextBlock } from "../protocol/index.ts";

export type Medium = ImageBlock | DocumentBlock;

/** Makes the line for a medium left out. `about`: the known facts about it, such as `image/png, 30 KB`. `why`: a clause. */
export function leftOutText(block: Medium, about: string, why: string, path: string | undefined): TextBlock {
  const where = path === undefined ? "" : ` It is in ${path}.`;
  return { type: "text", text: `[${mediumName(block)} (${about}) was left out: ${why}.${where}]` };
}

/** Makes the line for a medium that was in the conversation before. */
export function removedMediaText(block: Medium, why: string): TextBlock {
  const { source } = block;
  const size =
    source.type === "base64" ? ` (${source.media_type}, ${bytesText(Math.ceil((source.data.length * 3) / 4))})` : "";
  return { type: "text", text: `[${mediumName(block)}${size} was here; it was left out: ${why}.]` };
}

function mediumName(block: Medium): string {
  const name = block.type === "document" && block.title !== undefined ? ` "${block.title}"` : "";
  return block.type === "image" ? "An image" : `A document${name}`;
}

/** Tells the model how to convert coordinates, if it points at places in the picture. */
export function scaledText(from: PictureSize, to: PictureSize): TextBlock {
  const times = Math.max(from.width, from.height) / Math.max(to.width, to.height);
  const crop = times >= 4 ? " For small details, crop a part of it first." : "";
  return {
    type: "text",
    text: `[The image was scaled down from ${sizeText(from)} to ${sizeText(to)} pixels: coordinates of the original are ${times.toFixed(2)} times as large.${crop}]`,
  };
}

export const tooLargeText = `it has more than ${mostImageSide} pixels a side or ${mostImageBase64 >> 20} MB`;

export function sizeText({ width, height }: PictureSize): string {
  return `${width} × ${height}`;
}

export function bytesText(bytes: number): string {
  return bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / (1 << 20)).toFixed(1)} MB`;
}
