/** Text broken into the rows of a terminal, as the terminal itself breaks it. */
import { cellsOf, type Cell } from "./width.ts";

/** ASCII is broken by its length alone, since a paste may be long; the last of it may take marks to itself. */
const pieces = /[ -~]+(?=[ -~\t\n]|$)|\t|\n|[ -~]?[^ -~\t\n]+|[ -~]/gu;
const plain = /^[ -~]+$/u;
const tabWidth = 8;

export class Rows {
  readonly #columns: number;
  readonly #indent: string;
  /** A row that ends with a line end is the last of its line. */
  readonly lines: string[] = [""];
  #column = 0;

  /** `columns`: Infinity where rows are not broken, and nothing may move the cursor. */
  constructor(columns: number) {
    this.#columns = Math.max(1, columns);
    this.#indent = columns < 8 ? "" : "  ";
  }

  /** Where what comes next stands. A row that is full goes on in the next one. */
  get at(): { row: number; column: number } {
    const row = this.lines.length - 1;
    return this.#column < this.#columns ? { row, column: this.#column } : { row: row + 1, column: 0 };
  }

  /** Text without controls; a tab becomes blanks. */
  add(text: string): void {
    for (const [piece] of text.matchAll(pieces)) {
      if (piece === "\n") this.#newLine();
      else if (piece === "\t") this.#addPlain(" ".repeat(tabWidth - (this.at.column % tabWidth)));
      else if (plain.test(piece)) this.#addPlain(piece);
      else for (const cell of cellsOf(piece)) this.#addCell(cell);
    }
  }

  #newLine(): void {
    this.lines[this.lines.length - 1] += "\n";
    this.lines.push(this.#indent);
    this.#column = this.#indent.length;
  }

  #addPlain(run: string): void {
    for (let at = 0; at < run.length;) {
      const room = this.#columns - this.#column;
      const piece = run.slice(at, at + (room > 0 ? room : this.#columns));
      this.#put(piece, piece.length);
      at += piece.length;
    }
  }

  #addCell({ text, columns, isDisputed }: Cell): void {
    this.#put(text, columns);
    // Whatever the terminal took it for, what follows stands where it is counted to stand.
    if (isDisputed && this.#columns !== Infinity && this.#column < this.#columns)
      this.lines[this.lines.length - 1] += `\x1b[${this.#column + 1}G`;
  }

  #put(piece: string, columns: number): void {
    if (this.#column + columns > this.#columns && this.#column > 0) {
      this.lines.push("");
      this.#column = 0;
    }
    this.lines[this.lines.length - 1] += piece;
    this.#column += columns;
  }
}
