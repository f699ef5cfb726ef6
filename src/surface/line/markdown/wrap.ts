/**
 * Words that do not fit into a row of the terminal begin the next one, below the beginning of their text. A word that is
 * longer than a row is left to the terminal, so that an address or a path can be copied whole.
 */
import { noBeginning, noEnd } from "../../show/row-end.ts";
import { cellsOf, type Cell } from "../width.ts";
import { OpenStyles } from "./open-styles.ts";

const parts = new RegExp(String.raw`(?<style>\x1b\[\d+m)|(?<blanks>[ \t]+)|[^\x1b \t]+|[^]`, "gu");
const styles = new RegExp(String.raw`\x1b\[(\d+)m`, "gu");
/** What the text of an item begins behind. */
const marker = /^(?:[-*+•>]|\d{1,3}[.)])$/u;
const tabWidth = 8;

export class Wrap {
  readonly #columns: () => number;
  #column = 0;
  /** Where rows of the open line begin, but for its first. */
  #indent = 0;
  /** Of the open line: what was put there. */
  #words = 0;
  #isItem = false;
  #blanks = "";
  /** Nothing stands in the row, within a line: blanks were for what stands above. */
  #isCut = false;
  /** Not yet written, with its colours. */
  #word = "";
  #width = 0;
  #last: Cell | undefined;
  /** The beginning of the word is written already. */
  #isLong = false;
  /** Colours that are on where the word begins. */
  readonly #open = new OpenStyles();

  constructor(columns: () => number) {
    this.#columns = columns;
  }

  /** Text of one line, of which more may come. */
  push(text: string): string {
    let shown = "";
    for (const { 0: part, groups = {} } of text.matchAll(parts)) {
      if (groups["style"] !== undefined) this.#word += part;
      else if (groups["blanks"] === undefined) for (const cell of cellsOf(part)) shown += this.#add(cell);
      else {
        shown += this.#put();
        this.#isLong = false;
        if (!this.#isCut) this.#blanks += part;
      }
    }
    return shown;
  }

  /** What comes next goes on with a line that has ended. */
  cutOff(): void {
    this.#isCut = true;
  }

  /** The line is over; its end is not in it. */
  end(): string {
    const shown = this.#put() + this.#word;
    const rest = this.#column + this.#widthOfBlanks() <= this.#columns() ? this.#blanks : "";
    this.#column = this.#indent = this.#words = this.#width = 0;
    this.#isItem = this.#isLong = this.#isCut = false;
    this.#blanks = this.#word = "";
    this.#open.clear();
    this.#last = undefined;
    return shown + rest;
  }

  /** Somebody else has ended the row. */
  rowEnded(): void {
    // Its text begins a blank behind an item's mark, where none of it stands there yet.
    if (this.#words === 1 && this.#isItem) this.#setIndent(this.#column + 1);
    this.#isItem = false;
    this.#column = 0;
    this.#blanks = "";
    this.#isCut ||= this.#words > 0;
  }

  #add(cell: Cell): string {
    const last = this.#last;
    const isParted = last !== undefined && cell.columns > 0 && (cell.columns > 1 || last.columns > 1);
    const mayPart = isParted && !noBeginning.test(cell.text) && !noEnd.test(last.text);
    let shown = mayPart ? this.#put() : "";
    this.#word += cell.text;
    this.#width += cell.columns;
    if (cell.columns > 0) this.#last = cell;
    if (this.#width > this.#columns()) {
      shown += this.#put();
      this.#isLong = true;
    }
    return shown;
  }

  #put(): string {
    if (this.#width === 0) return "";
    const columns = this.#columns();
    const lead = this.#isCut && !this.#isLong ? " ".repeat(this.#indent) : "";
    this.#column += lead.length;
    const begin = this.#column + this.#widthOfBlanks();
    this.#findIndent(begin);
    const breaks = !this.#isLong && begin + this.#width > columns && this.#column > this.#indent;
    const shown = lead + (breaks ? this.#rowEnd() : this.#blanks) + this.#word;
    const end = (breaks ? this.#indent : begin) + this.#width;
    this.#column = end <= columns ? end : end % columns;
    this.#open.note(this.#word);
    this.#words += 1;
    this.#isCut = false;
    this.#blanks = this.#word = "";
    this.#width = 0;
    this.#last = undefined;
    return shown;
  }

  /** The first word begins it, or what stands behind an item's mark. */
  #findIndent(begin: number): void {
    if (this.#words > 1 || (this.#words === 1 && !this.#isItem)) return;
    this.#setIndent(begin);
    this.#isItem = this.#words === 0 && marker.test(this.#word.replaceAll(styles, ""));
  }

  #setIndent(column: number): void {
    this.#indent = column > this.#columns() / 2 ? 0 : column;
  }

  /** No colour goes on past a row. */
  #rowEnd(): string {
    return `${this.#open.off}\n${" ".repeat(this.#indent)}${this.#open.on}`;
  }

  #widthOfBlanks(): number {
    let column = this.#column;
    for (const blank of this.#blanks) column += blank === "\t" ? tabWidth - (column % tabWidth) : 1;
    return column - this.#column;
  }
}
