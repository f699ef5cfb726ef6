/** Folds the progress bars of a stream while it comes, so that they take no room from the lines around them. */
import { comparedStates, foldProgressBar, isProgressBar, leftOutText } from "./overwritten.ts";

/** The most bytes of a row that are held back, to see whether it is a progress bar. */
const heldBytes = 16 * 1024;
const newline = 0x0a;
const carriageReturn = 0x0d;
const nothing = Buffer.alloc(0);

export class ProgressBarFolder {
  /** The row that has not ended, without the states left out. */
  #row: Buffer = nothing;
  #leftOut = 0;
  /** The row is no progress bar, so what comes of it is handed on at once. */
  #isPassing = false;
  /** No row has ended: what looks like a bar may be a file whose lines end in \r. */
  #isFirst = true;

  /** Returns what can be handed on. */
  push(chunk: Buffer): Buffer {
    const passed: Buffer[] = [];
    let from = 0;
    for (;;) {
      const hasBegun = this.#row.includes(carriageReturn);
      const at = hasBegun ? from : nextOverwriting(chunk, from);
      // Most output has no bars, and may be gigabytes: rows without any are handed on in one piece.
      const plainEnd = hasBegun ? -1 : chunk.lastIndexOf(newline, at === -1 ? undefined : at);
      if (plainEnd >= from) {
        passed.push(this.#takeRow(chunk.subarray(from, plainEnd)), chunk.subarray(plainEnd, plainEnd + 1));
        from = plainEnd + 1;
      }
      const end = at === -1 ? -1 : chunk.indexOf(newline, at);
      if (end === -1) break;
      passed.push(this.#endRow(chunk.subarray(from, end)), chunk.subarray(end, end + 1));
      from = end + 1;
    }
    passed.push(this.#extendRow(chunk.subarray(from)));
    return Buffer.concat(passed);
  }

  /** What is held back, as it would be handed on if the row ended here. */
  get held(): Buffer {
    return this.#leftOut === 0 ? this.#row : this.#folded(this.#row);
  }

  #takeRow(end: Buffer): Buffer {
    const row = this.#row.length === 0 ? end : Buffer.concat([this.#row, end]);
    this.#row = nothing;
    this.#leftOut = 0;
    this.#isPassing = false;
    this.#isFirst = false;
    return row;
  }

  #endRow(end: Buffer): Buffer {
    if (this.#isPassing) return this.#takeRow(end);
    const folded = this.#folded(Buffer.concat([this.#row, end]));
    this.#takeRow(nothing);
    return folded;
  }

  #folded(row: Buffer): Buffer {
    const text = row.toString();
    const folded = foldProgressBar(text, this.#leftOut);
    // A bar that is shorter than the count of its states takes no room from other lines.
    if (folded !== undefined && (this.#leftOut > 0 || folded.length <= text.length)) return Buffer.from(folded);
    // What else the row holds may go on, so the count comes before it.
    return this.#leftOut === 0 ? row : Buffer.concat([Buffer.from(`${leftOutText(this.#leftOut)}\n`), row]);
  }

  #extendRow(part: Buffer): Buffer {
    if (this.#isPassing) return part;
    this.#row = Buffer.concat([this.#row, part]);
    const starts = stateStarts(this.#row);
    if (this.#row.length <= heldBytes && starts.length < 2 * comparedStates) return nothing;
    const at = starts.at(-comparedStates);
    const mayBeBar = at !== undefined && (!this.#isFirst || this.#row[0] === carriageReturn);
    if (mayBeBar && isProgressBar(this.#row.subarray(at).toString().split("\r").slice(1))) {
      this.#leftOut += starts.length - comparedStates + (this.#row[0] === carriageReturn ? 0 : 1);
      this.#row = this.#row.subarray(at);
      return nothing;
    }
    const row = this.held;
    this.#takeRow(nothing);
    this.#isPassing = true;
    return row;
  }
}

/** Where the next \r is that is not part of a line end; -1 if there is none. */
function nextOverwriting(chunk: Buffer, from: number): number {
  let at = chunk.indexOf(carriageReturn, from);
  while (at !== -1 && chunk[at + 1] === newline) at = chunk.indexOf(carriageReturn, at + 2);
  return at;
}

/** Where states begin, each with its \r; several \r in a row begin a single state. */
function stateStarts(row: Buffer): number[] {
  const starts: number[] = [];
  for (let at = row.indexOf(carriageReturn); at !== -1; at = row.indexOf(carriageReturn, at + 1))
    if (at + 1 < row.length && row[at + 1] !== carriageReturn) starts.push(at);
  return starts;
}
