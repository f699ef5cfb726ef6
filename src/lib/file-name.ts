/**
 * File names as lossless strings: a byte that is not UTF-8 becomes the lone surrogate U+DC00 + byte, which no valid name contains. JSON
 * preserves such strings.
 */
import { isUtf8 } from "node:buffer";

const lowestByteCode = 0xdc80;
const highestByteCode = 0xdcff;

export function decodeFileName(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  let name = "";
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes[at] ?? 0);
    const character = bytes.subarray(at, at + length);
    const isWhole = character.length === length && isUtf8(character);
    name += isWhole ? Buffer.from(character).toString("utf8") : String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
    at += isWhole ? length : 1;
  }
  return name;
}

/** Converts a path made of such names for the file system. */
export function systemPath(path: string): string | Buffer {
  return path.isWellFormed() ? path : Buffer.concat(Array.from(path, characterBytes));
}

function characterBytes(character: string): Buffer {
  const code = character.charCodeAt(0);
  return character.length === 1 && code >= lowestByteCode && code <= highestByteCode
    ? Buffer.from([code - 0xdc00])
    : Buffer.from(character, "utf8");
}

function sequenceLength(first: number): number {
  if (first < 0xc2) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}
