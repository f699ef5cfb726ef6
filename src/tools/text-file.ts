/** Converts a text file's bytes to text and back without loss: encoding, byte order mark and invalid bytes survive an edit. */
import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";

/** `bytes`: not valid UTF-8; each byte is one character (latin1), so that unedited parts keep their bytes. */
export type TextEncoding = "utf8" | "utf16le" | "utf16be" | "bytes";

export interface TextFormat {
  encoding: TextEncoding;
  byteOrderMark: boolean;
  /** Lines end with CR alone, as on old Macs; the decoded text has LF instead. */
  endsWithCr?: true;
}

/** The format of a new file. */
export const newFileFormat: TextFormat = { encoding: "utf8", byteOrderMark: false };

export interface DecodedText {
  /** Without the byte order mark. */
  text: string;
  format: TextFormat;
}

export function detectFormat(bytes: Uint8Array): TextFormat {
  const a = bytes[0];
  const b = bytes[1];
  const isEven = bytes.length % 2 === 0;
  if (a === 0xff && b === 0xfe && isEven) return { encoding: "utf16le", byteOrderMark: true };
  if (a === 0xfe && b === 0xff && isEven) return { encoding: "utf16be", byteOrderMark: true };
  const byteOrderMark = a === 0xef && b === 0xbb && bytes[2] === 0xbf;
  return { encoding: isUtf8(bytes) ? "utf8" : "bytes", byteOrderMark };
}

export function decodeText(bytes: Buffer): DecodedText {
  const format = detectFormat(bytes);
  const text = decodeBytes(bytes, format);
  if (!text.includes("\r") || text.includes("\n")) return { text, format };
  return { text: text.replaceAll("\r", "\n"), format: { ...format, endsWithCr: true } };
}

function decodeBytes(bytes: Buffer, { encoding, byteOrderMark }: TextFormat): string {
  if (encoding === "utf16le") return bytes.toString("utf16le", 2);
  if (encoding === "utf16be") return Buffer.from(bytes.subarray(2)).swap16().toString("utf16le");
  return bytes.toString(encoding === "bytes" ? "latin1" : "utf8", byteOrderMark ? 3 : 0);
}

export function encodeText(decodedText: string, { encoding, byteOrderMark, endsWithCr }: TextFormat): Buffer {
  const text = endsWithCr === true ? decodedText.replaceAll("\n", "\r") : decodedText;
  if (encoding === "utf16le") return Buffer.from(`\ufeff${text}`, "utf16le");
  if (encoding === "utf16be") return Buffer.from(`\ufeff${text}`, "utf16le").swap16();
  const body = Buffer.from(text, encoding === "bytes" ? "latin1" : "utf8");
  return byteOrderMark ? Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]) : body;
}

/** Converts a string from the model to the form in which `decodeText` returns file text. */
export function toFileText(modelText: string, { encoding, endsWithCr }: TextFormat): string {
  const text = endsWithCr === true ? modelText.replaceAll(/\r\n?/g, "\n") : modelText;
  return encoding === "bytes" ? Buffer.from(text).toString("latin1") : text;
}

/** The reverse: the file's text for people and the model, with replacement characters for bytes that are not UTF-8. */
export function toShownText(text: string, { encoding }: TextFormat): string {
  return encoding === "bytes" ? Buffer.from(text, "latin1").toString() : text;
}

export function hasNonAscii(text: string): boolean {
  return /[^\0-\x7f]/u.test(text);
}

export function hashBytes(bytes: Uint8Array): string {
  // Distinguishes versions of a file; it protects nothing, so the fastest hash is fine.
  return hash("sha1", bytes, "base64");
}

/** Recognises text that Read does not support; undefined for anything else. `from`: its name in iconv. `size`: of the whole file. */
export function detectUnsupportedText(head: Uint8Array, size: number): { what: string; from: string } | undefined {
  const [a, b, c, d] = head;
  if (a === 0xff && b === 0xfe && c === 0 && d === 0) return { what: "UTF-32 text", from: "utf-32" };
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return { what: "UTF-32 text", from: "utf-32" };
  const isUtf16 = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff);
  if (isUtf16 && size % 2 === 1) return { what: "UTF-16 text with half a character at its end", from: "utf-16" };
  return !isUtf16 && head.subarray(0, sniffedBytes).includes(0) ? detectUnmarkedUtf16(head) : undefined;
}

/** Recognises UTF-16 without a mark: its blanks, line ends and digits are half NUL, and it has no other controls. */
function detectUnmarkedUtf16(head: Uint8Array): { what: string; from: string } | undefined {
  const bytes = Buffer.from(head.subarray(0, Math.min(head.length, sniffedBytes) & ~1));
  // NUL-separated words are ASCII or UTF-8; in UTF-16, letters beyond ASCII contain control bytes or are not valid UTF-8.
  const isNulSeparated = !nonTextPattern.test(
    bytes
      .toString()
      .replaceAll("\0", "")
      .replace(/\ufffd$/, ""),
  );
  if (isNulSeparated && bytes.filter((byte) => byte === 0).length * 3 < bytes.length) return undefined;
  const what = "UTF-16 text without a byte order mark";
  const isText = (text: string): boolean =>
    text.length > 3 && !nonTextPattern.test(text) && (text.match(/[\t-\r -~]/g)?.length ?? 0) * 8 > text.length;
  if (isText(bytes.toString("utf16le"))) return { what, from: "utf-16le" };
  return isText(bytes.swap16().toString("utf16le")) ? { what, from: "utf-16be" } : undefined;
}

const signatures: readonly [prefix: string, what: string][] = [
  ["\x7fELF", "a Linux program or library"],
  ["MZ", "a Windows program or library"],
  ["PK\x03\x04", "a ZIP archive or a document packed as one"],
  ["\x1f\x8b", "gzip data"],
  ["BZh", "bzip2 data"],
  ["\xfd7zXZ", "xz data"],
  ["\x28\xb5\x2f\xfd", "zstd data"],
  ["7z\xbc\xaf", "a 7z archive"],
  ["SQLite format 3", "an SQLite database"],
  ["\0asm", "WebAssembly"],
  ["\xcf\xfa\xed\xfe", "a macOS program or library"],
  ["\xca\xfe\xba\xbe", "a Java class or a macOS universal program"],
  ["OggS", "Ogg audio or video"],
  ["ID3", "MP3 audio"],
  ["RIFF", "audio or video"],
  ["wOF2", "a font"],
];

const sniffedBytes = 8192;
/** Control characters, noncharacters and private use. */
const nonTextPattern = new RegExp(String.raw`[\x00-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufdd0-\ufdef\ufff0-\uffff]`);
/** Control characters except those that occur in text: bell to carriage return, and escape. */
const controlCharacters = new RegExp(String.raw`[\x01-\x06\x0e-\x1a\x1c-\x1f]`, "g");

/** Why the first bytes of a file are not text: `binary data`, `an SQLite database`; undefined for text. */
export function findBinary(head: Uint8Array): string | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, sniffedBytes));
  const { encoding } = detectFormat(bytes.length % 2 === 0 ? bytes : bytes.subarray(0, -1));
  if (encoding.startsWith("utf16")) return undefined;
  const text = bytes.toString("latin1");
  if (text.includes("\0")) return binaryKind(bytes);
  const controls = text.match(controlCharacters)?.length ?? 0;
  return controls > bytes.length * 0.3 ? binaryKind(bytes) : undefined;
}

function binaryKind(bytes: Buffer): string {
  const start = bytes.toString("latin1", 0, 16);
  return signatures.find(([prefix]) => start.startsWith(prefix))?.[1] ?? "binary data";
}

/** `12 bytes`, `3.4 KB`, `1.2 GB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ["KB", "MB", "GB", "TB"];
  let size = bytes / 1000;
  let unit = 0;
  while (size >= 999.95 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size.toFixed(1)} ${units[unit] ?? ""}`;
}
