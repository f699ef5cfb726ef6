/**
 * A token count with a known error: bytes of JSON divided by a constant, so that any client can predict it and two runs agree.
 * Images are counted by the published formula, documents by page.
 */
export const defaultBytesPerToken = 3.5;

/** Published: 1,500 to 3,000 tokens of text per page, plus the page's image. One figure covers both. */
export const tokensPerPdfPage = 2000;

export function tokensOfBytes(bytes: number, bytesPerToken: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/** ⌈w/28⌉×⌈h/28⌉ after scaling the long edge down to the model's limit, at most the model's cap. */
export function tokensOfImage(width: number, height: number, longEdge: number, cap: number): number {
  const scale = Math.min(1, longEdge / Math.max(width, height, 1));
  const tokens = Math.ceil((width * scale) / 28) * Math.ceil((height * scale) / 28);
  return Math.min(tokens, cap);
}
