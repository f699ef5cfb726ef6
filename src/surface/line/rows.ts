/** Breaks text into rows the way the terminal itself does. */
import { cellsOf, type Cell } from "./width.ts";

/** ASCII is split by length alone, because a paste may be long. Its last character may be followed by combining marks. */
const pieces = /[ -~]+(?=[ -~\t\n]|$)|\t|\n|[ -~]?[^ -~\t\n]+|[ -~]/gu;
const asciiOnly = /^[ -~]+$/u;
const tabWidth = 8;
/** Inverse video, which is no color, on and off. */
const [selectedSequence, unselectedSequence] = ["\x1b[7m", "\x1b[27m"];

export class Rows {
  readonly #columns: number;
  readonly #indent: string;
  /** The rows. A row that ends with a line end is the last of its line. */
  readonly lines: string[] = [""];
  #column = 0;
  #isSelected = false;

  /** `columns` is Infinity if rows are not broken and nothing may move the cursor. */
  constructor(columns: number) {
    this.#columns = Math.max(1, columns);
    this.#indent = columns < 8 ? "" : "  ";
  }

  /** The place of the next character. After a full row it is in the next row. */
  get at(): { row: number; column: number } {
    const row = this.lines.length - 1;
    return this.#column < this.#columns ? { row, column: this.#column } : { row: row + 1, column: 0 };
  }

  /** Adds text without controls. A tab becomes blanks. A selected line end shows as a blank if the row has room. */
  add(text: string, isSelected = false): void {
    this.#isSelected = isSelected;
    for (const [piece] of text.matchAll(pieces)) {
      if (piece === "\n") this.#newLine();
      else if (piece === "\t") this.#addPlain(" ".repeat(tabWidth - (this.at.column % tabWidth)));
      else if (asciiOnly.test(piece)) this.#addPlain(piece);
      else for (const cell of cellsOf(piece)) this.#addCell(cell);
    }
  }

  #newLine(): void {
    if (this.#isSelected && this.#column < this.#columns) this.#put(" ", 1);
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
    // Set the column explicitly, because terminals disagree on this character's width.
    if (isDisputed && this.#columns !== Infinity && this.#column < this.#columns)
      this.lines[this.lines.length - 1] += `\x1b[${this.#column + 1}G`;
  }

  #put(piece: string, columns: number): void {
    if (this.#column + columns > this.#columns && this.#column > 0) {
      this.lines.push("");
      this.#column = 0;
    }
    const row = this.lines[this.lines.length - 1] ?? "";
    this.lines[this.lines.length - 1] = this.#isSelected ? withSelected(row, piece) : row + piece;
    this.#column += columns;
  }
}

function withSelected(row: string, piece: string): string {
  const start = row.endsWith(unselectedSequence) ? row.slice(0, -unselectedSequence.length) : row + selectedSequence;
  return start + piece + unselectedSequence;
}
