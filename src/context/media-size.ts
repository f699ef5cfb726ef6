/** Works out the size for an image: within every limit, and no larger than the model needs. */
import { mostImageSide, patchCount, patchSide } from "../protocol/media-limits.ts";
import type { PictureSize } from "../lib/image-header.ts";

/** What the provider scales images down to. Absent: unknown. */
export interface ImageTerms {
  /** Pixels of the longer side. */
  imageEdge?: number;
  /** Patches. */
  imageTokens?: number;
}

/** Returns the longest side that is sent, in pixels. */
function longestSide({ imageEdge = mostImageSide }: ImageTerms): number {
  return Math.min(mostImageSide, imageEdge);
}

/** Returns the size to send; `size` itself if it may stay. An image that must be scaled at all is scaled as far as the provider would. */
export function sizeToSend(size: PictureSize, terms: ImageTerms): PictureSize {
  const side = longestSide(terms);
  if (Math.max(size.width, size.height) <= side) return size;
  let scaled = scaleToSide(size, side);
  const { imageTokens = Infinity } = terms;
  for (let edge = side; patchCount(scaled) > imageTokens && edge > patchSide; edge -= patchSide / 2)
    scaled = scaleToSide(size, edge);
  return scaled;
}

function scaleToSide({ width, height }: PictureSize, edge: number): PictureSize {
  const share = edge / Math.max(width, height);
  return { width: Math.max(1, Math.round(width * share)), height: Math.max(1, Math.round(height * share)) };
}
