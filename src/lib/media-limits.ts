/** What a request may hold of images and documents, and what they count: platform.claude.com, vision, PDF support and errors. */
import type { PictureSize } from "./image-header.ts";

/** Pixels of a side. More are taken of up to 20 images, but history is sent again with every image that follows. */
export const mostImageSide = 2_000;
/** Characters of base64: 10 MB on Anthropic's own endpoint, 5 MB on the clouds that serve the same models. */
export const mostImageBase64 = 5 << 20;
export const mostImageBase64Anywhere = 10 << 20;
/** A request has 32 MB in all; text of a full window takes up to 5. */
export const mostMediaBase64 = 28_000_000;
/** A picture of more pixels is not unpacked here. */
export const mostPixels = 100_000_000;
/** Nor is one with a longer side: each pixel of a side takes memory of its own, and each row time, whatever the other side is. */
export const mostSideUnpacked = 100_000;

/** Pixels of a side. A patch is a token. */
export const patchSide = 28;
/** The most an image counts on any model: larger ones are scaled down. */
export const mostImageTokens = 4_784;

export function patches({ width, height }: PictureSize): number {
  return Math.ceil(width / patchSide) * Math.ceil(height / patchSide);
}

/** Tokens, on the model that counts the most. */
export function pictureTokens(size: PictureSize): number {
  return Math.min(patches(size), mostImageTokens);
}

/** PDF pages of a request. */
export function mostPdfPages(contextWindow: number): number {
  return contextWindow < 1_000_000 ? 100 : 600;
}

export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
