/** What a request may hold of images and documents: platform.claude.com, vision, PDF support and errors. */

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

/** PDF pages of a request. */
export function mostPdfPages(contextWindow: number): number {
  return contextWindow < 1_000_000 ? 100 : 600;
}

export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
