/** Breaks text into rows the way the terminal itself does. */
import { cellsOf, type Cell } from "./width.ts";

/** ASCII is split by length alone, because a paste may be long. Its last character may be followed by combining marks. */
const pieces = /[ -~]+(?=[ -~\t\n]|$)|\t|\n|[ -~]?[^ -~\t\n]+|[ -~]/gu;
const asciiOnly = /^[ -~]+$/u;
const tabWidth = 8;
/** Inverse video, which is no color, on and off. */
const [selectedSequence, unselectedSequence] = ["\x1b[7m", "\x1b[27m"];

/** Ends a row that is no line's last, at whatever column the terminal sees its end. */
export const rowEnd = "\r\n";

export class Rows {
  readonly #columns: number;
  readonly #indent: string;
  /** The rows. A row that ends with a line end is the last of its line, or ended by hand. */
  readonly lines: string[] = [""];
  #column = 0;
  #isSelected = false;
  /** The last row is empty because a disputed character fills the row above, which was ended by hand. */
  #isAfterEndedRow = false;

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

  /** Ends the row as a line end in the terminal does, without the indent of a further line. */
  endRow(): void {
    if (!this.#isAfterEndedRow) this.#endByHand();
    this.#isAfterEndedRow = false;
  }

  /** Removes the empty row after a row that was ended by hand. Another line end follows. */
  dropEmptyRow(): void {
    if (!this.#isAfterEndedRow) return;
    this.lines.pop();
    this.lines.push((this.lines.pop() ?? "").replace(rowEnd, ""));
  }

  /** Ends the row where the terminal may not do it. */
  #endByHand(): void {
    this.lines[this.lines.length - 1] += rowEnd;
    this.lines.push("");
    this.#column = 0;
    this.#isAfterEndedRow = true;
  }

  #newLine(): void {
    if (this.#isAfterEndedRow) this.lines.pop();
    else this.#endLine();
    this.#isAfterEndedRow = false;
    this.lines.push(this.#indent);
    this.#column = this.#indent.length;
  }

  #endLine(): void {
    if (this.#isSelected && this.#column < this.#columns) this.#put(" ", 1);
    this.lines[this.lines.length - 1] += "\n";
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
    if (!isDisputed || this.#columns === Infinity) return this.#put(text, columns);
    // A terminal that takes the character for narrower would not move it to the next row.
    const room = this.#columns - this.#column;
    if (room > 0 && room < columns && this.#column > 0) this.#put(" ".repeat(room), room);
    this.#put(text, columns);
    // Set the column explicitly, because terminals disagree on this character's width.
    if (this.#column < this.#columns) this.lines[this.lines.length - 1] += `\x1b[${this.#column + 1}G`;
    else this.#endByHand();
  }

  #put(piece: string, columns: number): void {
    if (this.#column + columns > this.#columns && this.#column > 0) {
      this.lines.push("");
      this.#column = 0;
    }
    const row = this.lines[this.lines.length - 1] ?? "";
    this.lines[this.lines.length - 1] = this.#isSelected ? withSelected(row, piece) : row + piece;
    this.#column += columns;
    this.#isAfterEndedRow = false;
  }
}

function withSelected(row: string, piece: string): string {
  const start = row.endsWith(unselectedSequence) ? row.slice(0, -unselectedSequence.length) : row + selectedSequence;
  return start + piece + unselectedSequence;
}
