/** The output of the status line's command as terminal rows: colours are kept, and all other control sequences are removed. */
import { sanitize } from "../../lib/sanitize.ts";
import type { Style } from "../show/style.ts";
import { cellsOf } from "./width.ts";

export interface StatusText {
  text: string;
  style: Style;
  /** Columns before the text, in addition to the indent of the prompt's own text. */
  padding: number;
}

const maxRows = 8;
const maxCharacters = 20_000;
const maxColours = 16;
const promptIndent = 2;
const tabWidth = 8;

const colour = new RegExp(String.raw`(\x1b\[[\d;:]*m)`, "u");
const colours = new RegExp(colour, "gu");
const startsWithReset = new RegExp(String.raw`^\x1b\[0*[;m]`, "u");
const resetOnly = new RegExp(String.raw`^\x1b\[0*m$`, "u");
const reset = "\x1b[0m";

/** Returns at most `limit` rows of at most `columns` each; none if the command printed nothing visible. */
export function statusRows({ text, style, padding }: StatusText, limit: number, columns: number): string[] {
  const short = text.slice(0, maxCharacters).replaceAll(/\r\n?/gu, "\n");
  const bare = short.replaceAll(colours, "");
  if (sanitize(bare).trim() === "") return [];
  const indent = Math.min(promptIndent + Math.max(0, Math.floor(padding)), columns >> 1);
  const isPlain = style.isPlain || bare === short;
  const painter = new RowPainter(indent, columns, isPlain);
  const lines = (isPlain ? bare : short).replace(/^(?:[ \t]*\n)+/u, "").trimEnd();
  const rows = lines.split("\n", Math.max(0, Math.min(limit, maxRows))).map((line) => painter.row(line));
  return isPlain ? rows.map((row) => style.dim(row)) : rows;
}

class RowPainter {
  readonly #indent: number;
  readonly #columns: number;
  readonly #isPlain: boolean;
  /** Colours that continue in the next line. */
  #open: string[] = [];

  constructor(indent: number, columns: number, isPlain: boolean) {
    this.#indent = indent;
    this.#columns = columns;
    this.#isPlain = isPlain;
  }

  row(line: string): string {
    let row = " ".repeat(this.#indent) + this.#open.join("");
    let column = this.#indent;
    /** The row with room for the mark of a cut. */
    let cut = row;
    let isCut = false;
    for (const piece of line.split(colour)) {
      if (colour.test(piece)) {
        if (!isCut) row += piece;
        this.#paint(piece);
        continue;
      }
      for (const cell of isCut ? [] : cellsOf(withoutTabs(sanitize(piece), column - this.#indent))) {
        column += cell.columns;
        isCut = column > this.#columns;
        if (isCut) break;
        // Set the column explicitly, because terminals disagree on this character's width.
        row += cell.isDisputed ? `${cell.text}\x1b[${column + 1}G` : cell.text;
        if (column < this.#columns) cut = row;
      }
    }
    const shown = isCut ? `${cut}…` : row;
    return this.#isPlain ? shown.trimEnd() : shown + reset;
  }

  #paint(piece: string): void {
    if (startsWithReset.test(piece)) this.#open = [];
    if (!resetOnly.test(piece)) this.#open = [...this.#open, piece].slice(-maxColours);
  }
}

function withoutTabs(text: string, column: number): string {
  return text.replaceAll("\t", (_tab, at: number) => " ".repeat(tabWidth - ((column + at) % tabWidth)));
}
