/**
 * Wraps text at words. Further rows start below the beginning of the line's text. A word longer than a row is left to the
 * terminal, so that a URL or a path can be copied whole.
 */
import { cannotStartRow, cannotEndRow } from "../../show/row-end.ts";
import { cellsOf, type Cell } from "../width.ts";
import { OpenStyles } from "./open-styles.ts";

const wrapParts = new RegExp(String.raw`(?<style>\x1b\[[\d;]+m)|(?<blanks>[ \t]+)|[^\x1b \t]+|[^]`, "gu");
const stylePattern = new RegExp(String.raw`\x1b\[[\d;]+m`, "gu");
/** The marker of a quote or of a list item. Its text begins after it. */
const listMarker = /^(?:[-*+•>]|\d{1,3}[.)])$/u;
const tabWidth = 8;

export class WordWrapper {
  readonly #columns: () => number;
  #column = 0;
  /** The column where further rows of the open line begin. */
  #indent = 0;
  /** The number of words of the open line that were put out. */
  #words = 0;
  /** The last word was a marker. */
  #isItem = false;
  /** Nothing or only marks of quotes stand before the next word. */
  #mayBeMarker = true;
  /** The marks of quotes at the beginning of the open line, in their columns. Each further row repeats them. */
  #quoteMarks = "";
  #blanks = "";
  /** The row is empty within a line, because other output ended the row above. Blanks belonged to that row. */
  #isCut = false;
  /** The word that is not written yet, with its colours. */
  #word = "";
  #width = 0;
  #last: Cell | undefined;
  /** The beginning of the current word is written already. */
  #isLong = false;
  /** The colours that are on where the word begins. */
  readonly #open = new OpenStyles();

  constructor(columns: () => number) {
    this.#columns = columns;
  }

  /** Takes a piece of a line, and returns what to write now. */
  push(text: string): string {
    let shown = "";
    for (const { 0: part, groups = {} } of text.matchAll(wrapParts)) {
      if (groups["style"] !== undefined) this.#word += part;
      else if (groups["blanks"] === undefined) for (const cell of cellsOf(part)) shown += this.#addCell(cell);
      else {
        shown += this.#flushWord();
        this.#isLong = false;
        if (!this.#isCut) this.#blanks += part;
      }
    }
    return shown;
  }

  /** The next text continues a line that was ended. */
  continueLine(): void {
    this.#isCut = true;
  }

  /** Ends the line, and returns its rest without a line end. */
  end(): string {
    const shown = this.#flushWord() + this.#word;
    const rest = this.#column + this.#blankWidth() <= this.#columns() ? this.#blanks : "";
    this.#column = this.#indent = this.#words = this.#width = 0;
    this.#isItem = this.#isLong = this.#isCut = false;
    this.#mayBeMarker = true;
    this.#blanks = this.#word = this.#quoteMarks = "";
    this.#open.clear();
    this.#last = undefined;
    return shown + rest;
  }

  /** Other output has ended the row. */
  rowEnded(): void {
    // If only the marker of a list item is shown, its text begins one blank after it.
    if (this.#isItem) this.#setIndent(this.#column + 1);
    this.#isItem = false;
    this.#column = 0;
    this.#blanks = "";
    this.#isCut ||= this.#words > 0;
  }

  #addCell(cell: Cell): string {
    const last = this.#last;
    const isParted = last !== undefined && cell.columns > 0 && (cell.columns > 1 || last.columns > 1);
    const mayPart = isParted && !cannotStartRow.test(cell.text) && !cannotEndRow.test(last.text);
    let shown = mayPart ? this.#flushWord() : "";
    this.#word += cell.text;
    this.#width += cell.columns;
    if (cell.columns > 0) this.#last = cell;
    if (this.#width > this.#columns()) {
      shown += this.#flushWord();
      this.#isLong = true;
    }
    return shown;
  }

  #flushWord(): string {
    if (this.#width === 0) return "";
    const columns = this.#columns();
    const lead = this.#isCut && !this.#isLong ? this.#rowStart : "";
    this.#column += lead.length;
    const begin = this.#column + this.#blankWidth();
    this.#findIndent(begin);
    const breaks = !this.#isLong && begin + this.#width > columns && this.#column > this.#indent;
    const shown = lead + (breaks ? this.#breakRow() : this.#blanks) + this.#word;
    const end = (breaks ? this.#indent : begin) + this.#width;
    this.#column = end <= columns ? end : end % columns;
    this.#open.track(this.#word);
    this.#words += 1;
    this.#isCut = false;
    this.#blanks = this.#word = "";
    this.#width = 0;
    this.#last = undefined;
    return shown;
  }

  /** Sets the indent to the first word, or to the word after the markers of quotes and of a list item. */
  #findIndent(begin: number): void {
    if (this.#words > 0 && !this.#isItem) return;
    const left = this.#quoteMarks === "" ? 0 : this.#quoteMarks.length + 1;
    const columns = this.#columns();
    // A first word that fits only below its marker goes there, because the terminal would break it.
    const isBelow = !this.#isLong && begin + this.#width > columns && left + this.#width <= columns;
    this.#setIndent(isBelow ? left : begin);
    const word = this.#word.replaceAll(stylePattern, "");
    this.#isItem = this.#mayBeMarker && listMarker.test(word);
    this.#mayBeMarker &&= word === ">";
    if (this.#mayBeMarker) this.#quoteMarks = `${this.#quoteMarks.padEnd(begin)}>`;
  }

  /** What a further row of the open line begins with. */
  get #rowStart(): string {
    const blanks = " ".repeat(this.#indent);
    return this.#quoteMarks.length < this.#indent ? this.#quoteMarks + blanks.slice(this.#quoteMarks.length) : blanks;
  }

  #setIndent(column: number): void {
    this.#indent = column > this.#columns() / 2 ? 0 : column;
  }

  /** Ends a row, so that no colour continues past it. */
  #breakRow(): string {
    return `${this.#open.off}\n${this.#rowStart}${this.#open.on}`;
  }

  #blankWidth(): number {
    let column = this.#column;
    for (const blank of this.#blanks) column += blank === "\t" ? tabWidth - (column % tabWidth) : 1;
    return column - this.#column;
  }
}
