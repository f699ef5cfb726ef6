/** File names as text: plain if safe to print, otherwise quoted, so that no byte is lost and none acts on a terminal or a log. */
import { isUtf8 } from "node:buffer";
import { sanitize } from "./sanitize.ts";

/**
 * Returns the name itself, or bash's `$'…'` form of it, which a shell turns back into the same bytes. Quotes names with control,
 * bidirectional or zero-width characters, with bytes that are not UTF-8, and names that look quoted already.
 */
export function quoteName(name: string | Uint8Array): string {
  const bytes = typeof name === "string" ? Buffer.from(name) : Buffer.from(name.buffer, name.byteOffset, name.length);
  const text = typeof name === "string" ? name : bytes.toString();
  if (isUtf8(bytes) && isPlain(text)) return text;
  return `$'${escapeBytes(bytes)}'`;
}

function isPlain(text: string): boolean {
  return !text.startsWith("$'") && !/[\n\t]/.test(text) && sanitize(text) === text;
}

const shortEscapes: Record<string, string> = { "\n": "\\n", "\t": "\\t", "\r": "\\r", "'": "\\'", "\\": "\\\\" };

function escapeBytes(bytes: Buffer): string {
  let quoted = "";
  for (let index = 0; index < bytes.length;) {
    const length = sequenceLength(bytes, index);
    if (length === 0) {
      quoted += hex(bytes[index] ?? 0);
      index += 1;
      continue;
    }
    const character = bytes.toString("utf8", index, index + length);
    const short = shortEscapes[character];
    if (short !== undefined) quoted += short;
    else if (sanitize(character) === character) quoted += character;
    else quoted += Array.from(bytes.subarray(index, index + length), hex).join("");
    index += length;
  }
  return quoted;
}

function hex(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, "0")}`;
}

/** The length of the valid UTF-8 sequence at `index`; 0 if there is none. */
function sequenceLength(bytes: Buffer, index: number): number {
  const first = bytes[index] ?? 0;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return isUtf8(bytes.subarray(index, index + length)) ? length : 0;
}
