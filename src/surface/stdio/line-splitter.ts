/** Splits bytes into lines, regardless of chunks. A line longer than the limit is reported and skipped, not collected. */
import { isUtf8 } from "node:buffer";

export type SplitLine =
  /** `isDamaged`: invalid UTF-8 in the line was replaced. */
  | { text: string; isDamaged?: true }
  /** The line was skipped except for its beginning. */
  | { tooLong: true; beginning: string };

/** Bytes kept of a skipped line, to find out what it was. */
const keptBytes = 4096;

export class LineSplitter {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #size = 0;
  #isSkipping = false;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  *push(chunk: Buffer): Generator<SplitLine> {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      yield* this.#add(chunk.subarray(from, at));
      yield* this.#close();
      from = at + 1;
    }
    yield* this.#add(chunk.subarray(from));
  }

  /** Returns the last line if no line feed ended it. */
  *end(): Generator<SplitLine> {
    if (this.#size > 0) yield* this.#close();
  }

  *#add(part: Buffer): Generator<SplitLine> {
    if (this.#isSkipping || part.length === 0) return;
    this.#size += part.length;
    this.#parts.push(part);
    if (this.#size <= this.#limit) return;
    const beginning = Buffer.concat(this.#parts, Math.min(this.#size, keptBytes)).toString("utf8");
    this.#parts = [];
    this.#isSkipping = true;
    yield { tooLong: true, beginning };
  }

  *#close(): Generator<SplitLine> {
    const isWhole = !this.#isSkipping;
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    this.#isSkipping = false;
    if (!isWhole) return;
    const text = bytes.toString("utf8");
    yield isUtf8(bytes) ? { text } : { text, isDamaged: true };
  }
}
