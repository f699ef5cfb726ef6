/** Text of a file as the mark at its beginning says it, which is no part of it: UTF-8, or UTF-16 as editors and shells of Windows write it. */

/** Bytes that are no text become U+FFFD. `fatal`: throws there. */
export function markedText(bytes: Uint8Array, { fatal = false } = {}): string {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  return new TextDecoder(isLittle ? "utf-16le" : isBig ? "utf-16be" : "utf-8", { fatal }).decode(bytes);
}
