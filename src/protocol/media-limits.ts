/** Limits of a request for images and documents, and how they are counted: platform.claude.com, vision, PDF support and errors. */

/** In pixels. */
interface PictureSize {
  width: number;
  height: number;
}

/** Pixels per side. Larger images are allowed if there are at most 20, but the history is sent again with every later image. */
export const mostImageSide = 2_000;
/** Characters of base64: 10 MB on Anthropic's own endpoint, 5 MB on the clouds that serve the same models. */
export const mostImageBase64 = 5 << 20;
export const mostImageBase64Anywhere = 10 << 20;
/** A request may have 32 MB in total; the text of a full window takes up to 5 MB. */
export const mostMediaBase64 = 28_000_000;
/** A picture with more pixels is not unpacked here. */
export const mostPixels = 100_000_000;
/** Nor a longer side: each pixel of a side takes memory, and each row takes time, whatever the other side is. */
export const mostSideUnpacked = 100_000;

/** Pixels per side of a patch. One patch is one token. */
export const patchSide = 28;
/** The most tokens an image counts on any model: larger images are scaled down. */
export const mostImageTokens = 4_784;

export function patchCount({ width, height }: PictureSize): number {
  return Math.ceil(width / patchSide) * Math.ceil(height / patchSide);
}

/** Tokens on the model that counts the most. */
export function pictureTokens(size: PictureSize): number {
  return Math.min(patchCount(size), mostImageTokens);
}

/** The most PDF pages in a request. */
export function mostPdfPages(contextWindow: number): number {
  return contextWindow < 1_000_000 ? 100 : 600;
}

export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
