// A terminal's screen, as far as the prompt uses it: rows that wrap, a cursor that waits behind a full row.

import { unitsOf, widthOf } from "./characters.ts";

const pieces = new RegExp(String.raw`\x1b\[(\d*)([A-Z])|\x1b\[\?7([hl])|\x1bD|[\r\n]|[^\x1b\r\n]+`, "gu");

export class Grid {
  columns: number;
  rows: number;
  /** Everything that was ever shown, the screen being the last `rows` of it. */
  lines: string[][] = [[]];
  row = 0;
  column = 0;
  #isCutting = false;
  readonly #widthOf: (character: string) => number;

  /** `width`: how many columns the terminal gives a character. */
  constructor(columns: number, rows: number, width = widthOf) {
    this.columns = columns;
    this.rows = rows;
    this.#widthOf = width;
  }

  get text(): string[] {
    return this.lines.map((line) =>
      Array.from(line, (cell: string | undefined) => cell ?? " ")
        .join("")
        .trimEnd(),
    );
  }

  write(text: string): boolean {
    for (const [piece, count, kind, wrapping] of text.matchAll(pieces)) {
      if (kind !== undefined) this.#move(kind, Number(count === "" ? 1 : count));
      else if (wrapping !== undefined) this.#isCutting = wrapping === "l";
      else if (piece === "\r") this.column = 0;
      else if (piece === "\x1bD") this.#index();
      else if (piece === "\n") this.#down();
      else for (const unit of unitsOf(piece)) this.#put(unit, this.#widthOf(unit));
    }
    return true;
  }

  #move(kind: string, count: number): void {
    if (kind === "A") this.row = Math.max(this.lines.length - this.rows, 0, this.row - count);
    else if (kind === "B") this.row = Math.min(this.lines.length - 1, this.row + count);
    else if (kind === "G") this.column = count - 1;
    else if (kind === "K" && count === 2) this.lines[this.row]!.length = 0;
    else if (kind === "K") this.lines[this.row]!.length = Math.min(this.lines[this.row]!.length, this.column);
    else if (kind === "J") {
      this.#keepCleared();
      this.lines.length = this.row + 1;
      this.lines[this.row]!.length = this.column;
    } else throw new Error(`${kind} is not known here`);
  }

  /** As tmux does it where all of the screen is erased from its beginning on. */
  #keepCleared(): void {
    if (this.column > 0 || this.row > Math.max(this.lines.length - this.rows, 0)) return;
    const kept = this.lines.slice(this.row).map((line) => [...line]);
    this.lines.splice(this.row, 0, ...kept);
    this.row += kept.length;
  }

  #down(): void {
    this.#index();
    this.column = 0;
  }

  #index(): void {
    this.row += 1;
    if (this.row === this.lines.length) this.lines.push([]);
  }

  #put(character: string, width: number): void {
    if (this.column + width > this.columns) {
      if (this.#isCutting) return;
      this.#down();
    }
    const line = this.lines[this.row]!;
    while (line.length < this.column) line.push(" ");
    line.splice(this.column, width, character, ...Array.from({ length: width - 1 }, () => ""));
    this.column += width;
  }
}
