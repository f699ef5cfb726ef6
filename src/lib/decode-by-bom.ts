/** Decodes a file by its byte order mark, which is removed: UTF-8, or UTF-16 as written by editors and shells on Windows. */

/** Invalid bytes become U+FFFD; with `fatal` they throw. */
export function decodeByBom(bytes: Uint8Array, { fatal = false } = {}): string {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  return new TextDecoder(isLittle ? "utf-16le" : isBig ? "utf-16be" : "utf-8", { fatal }).decode(bytes);
}
