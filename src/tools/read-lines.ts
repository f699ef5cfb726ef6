/** Picks a range of lines from a file of any size and numbers them, within a size limit. */
import { isUtf8 } from "node:buffer";
import { toShownText, decodeText } from "./text-file.ts";

export interface LineRange {
  /** From 1. */
  offset: number;
  limit: number;
}

export interface PickedLines {
  /** Without line ends. */
  lines: string[];
  /** Number of the first picked line, from 1. */
  first: number;
  /** Number of lines in the file; a lower bound if `isTotalExact` is false. */
  total: number;
  isTotalExact: boolean;
  /** More lines were requested than fit into `maxBytes`. */
  isCut: boolean;
  /** At least one line is not shown in full. */
  hasCutLine: boolean;
  hasInvalidBytes: boolean;
}

/** The most characters of one line that are shown. */
const shownLineLength = 2000;

/** `length` includes its unit. A progress bar in a command's output has its last state at the end of such a line. */
function cutLine(line: string, length: string): string {
  const shown = line.slice(0, shownLineLength).replace(/[\ud800-\udbff]$/, "");
  const state = /\r[^\r]/.test(shown) ? "; \\r overwrites it again and again: tail -c 300 in Bash shows its end" : "";
  return `${shown}… [line cut: ${length} in all${state}]`;
}

/** Picks lines from a file that is in memory. */
export function pickLines(bytes: Buffer, range: LineRange): PickedLines {
  const { text, format } = decodeText(bytes);
  const all = splitLines(text);
  const lines = all.slice(range.offset - 1, range.offset - 1 + range.limit);
  const hasInvalidBytes = format.encoding === "bytes";
  let hasCutLine = false;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const ended = line.endsWith("\r") ? line.slice(0, -1) : line;
    const whole = hasInvalidBytes ? toShownText(ended, format) : ended;
    if (whole.length > shownLineLength) hasCutLine = true;
    lines[at] = whole.length > shownLineLength ? cutLine(whole, `${whole.length} characters`) : whole;
  }
  return {
    lines,
    first: range.offset,
    total: all.length,
    isTotalExact: true,
    isCut: false,
    hasCutLine,
    hasInvalidBytes,
  };
}

function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** After this many bytes beyond the range, lines are no longer counted. */
const countedBytesAfterRange = 64 << 20;
/** The bytes kept of a line that is too long to show. */
const keptLineBytes = 16_384;

/**
 * Picks lines from a stream of pieces in one pass, in memory that depends on the range and not on the file.
 * UTF-8 (or bytes) only: a line ends at the byte 0x0a.
 */
export async function scanLines(
  pieces: AsyncIterable<Buffer>,
  range: LineRange,
  maxBytes: number,
): Promise<PickedLines> {
  const scan = new LineScan(range, maxBytes);
  let after = 0;
  for await (const piece of pieces) {
    scan.push(piece);
    if (scan.isDone) after += piece.length;
    if (after > countedBytesAfterRange) return scan.finish(false);
  }
  return scan.finish(true);
}

class LineScan {
  readonly #range: LineRange;
  readonly #maxBytes: number;
  #number = 1;
  #line: Buffer[] = [];
  #lineBytes = 0;
  #lines: string[] = [];
  #bytes = 0;
  #isCut = false;
  #hasCutLine = false;
  #hasInvalidBytes = false;
  #hasOpenLine = false;

  constructor(range: LineRange, maxBytes: number) {
    this.#range = range;
    this.#maxBytes = maxBytes;
  }

  get isDone(): boolean {
    return this.#isCut || this.#number >= this.#range.offset + this.#range.limit;
  }

  get #isWanted(): boolean {
    return !this.isDone && this.#number >= this.#range.offset;
  }

  push(piece: Buffer): void {
    let at = 0;
    for (;;) {
      const end = piece.indexOf(0x0a, at);
      if (this.#isWanted) this.#addPart(piece.subarray(at, end === -1 ? piece.length : end));
      if (end === -1) break;
      this.#closeLine();
      at = end + 1;
    }
    this.#hasOpenLine = at < piece.length;
  }

  #addPart(part: Buffer): void {
    const room = keptLineBytes - this.#lineBytes;
    if (room > 0 && part.length > 0) this.#line.push(Buffer.from(part.subarray(0, room)));
    this.#lineBytes += part.length;
  }

  #closeLine(): void {
    if (this.#isWanted) {
      this.#lines.push(this.#takeLine());
      this.#isCut = this.#bytes > this.#maxBytes;
    }
    this.#number += 1;
  }

  #takeLine(): string {
    const bytes = Buffer.concat(this.#line);
    const length = this.#lineBytes;
    // An empty line takes memory too.
    this.#bytes += bytes.length + 8;
    this.#line = [];
    this.#lineBytes = 0;
    // A cut may fall inside a character; that does not make the file invalid.
    if (length === bytes.length && !isUtf8(bytes)) this.#hasInvalidBytes = true;
    let text = bytes.toString();
    if (this.#number === 1 && text.startsWith("\ufeff")) text = text.slice(1);
    if (text.endsWith("\r")) text = text.slice(0, -1);
    if (text.length <= shownLineLength && length === bytes.length) return text;
    this.#hasCutLine = true;
    return cutLine(text, `${length} bytes`);
  }

  finish(isTotalExact: boolean): PickedLines {
    if (this.#hasOpenLine) this.#closeLine();
    return {
      lines: this.#lines,
      first: this.#range.offset,
      total: this.#number - 1,
      isTotalExact,
      isCut: this.#isCut,
      hasCutLine: this.#hasCutLine,
      hasInvalidBytes: this.#hasInvalidBytes,
    };
  }
}

export interface NumberedLines {
  /** Lines in the form `12<tab>text`. */
  text: string;
  count: number;
}

/** Numbers lines until `maxBytes` are used up. */
export function numberLines(lines: readonly string[], first: number, maxBytes: number): NumberedLines {
  const numbered: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    const number = `${first + numbered.length}\t`;
    bytes += number.length + Buffer.byteLength(line) + 1;
    if (bytes > maxBytes) break;
    numbered.push(number + line);
  }
  return { text: numbered.join("\n"), count: numbered.length };
}
