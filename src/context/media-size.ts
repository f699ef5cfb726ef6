/** How large an image is to be: within every limit, and no larger than the model looks at. */
import { mostImageSide, patches, patchSide } from "../lib/media-limits.ts";
import type { PictureSize } from "../lib/image-header.ts";

/** What the provider scales images down to. Absent: not known. */
export interface ImageTerms {
  /** Pixels of the longer side. */
  imageEdge?: number;
  /** Patches. */
  imageTokens?: number;
}

/** The longest side that is sent. */
function longestSide({ imageEdge = mostImageSide }: ImageTerms): number {
  return Math.min(mostImageSide, imageEdge);
}

/** The size to send; `size` itself where it may stay. What is made smaller at all is made as small as the provider would. */
export function sizeToSend(size: PictureSize, terms: ImageTerms): PictureSize {
  const side = longestSide(terms);
  if (Math.max(size.width, size.height) <= side) return size;
  let scaled = scaledTo(size, side);
  const { imageTokens = Infinity } = terms;
  for (let edge = side; patches(scaled) > imageTokens && edge > patchSide; edge -= patchSide / 2)
    scaled = scaledTo(size, edge);
  return scaled;
}

function scaledTo({ width, height }: PictureSize, edge: number): PictureSize {
  const share = edge / Math.max(width, height);
  return { width: Math.max(1, Math.round(width * share)), height: Math.max(1, Math.round(height * share)) };
}
