/**
 * The prompt and the text typed at it, on their own rows of the terminal. Only this code moves the cursor up, and never past the
 * prompt's first row: rows above it are not touched, whatever the terminal's width was or becomes.
 */
import { sanitize } from "../../lib/sanitize.ts";
import { joiningLetters } from "../../lib/invisible-characters.ts";
import { breakBetweenAnswers } from "./answer-rows.ts";
import { singleRowUpdate, underUpdate, type PaintedRows } from "./prompt-update.ts";
import { Rows } from "./rows.ts";
import { clearRowAndBelow, sizeOf, withoutWrapping } from "./screen.ts";
import { fitsWidth } from "./width.ts";
import { splitAtSelection, type TextRange } from "./selection.ts";
import type { TerminalKind } from "./terminal-modes.ts";

/** Returns the lines under the prompt: at most `rows`, each of at most `columns`, and safe to show. */
export type LinesBelow = (rows: number, columns: number) => string[];

export interface TypedPrompt {
  prompt: string;
  text: string;
  /** The number of characters before the cursor. */
  cursor: number;
  /** The part of the text that is shown as selected. */
  selection?: TextRange | undefined;
  below?: LinesBelow | undefined;
}

export interface Terminal {
  write(text: string): unknown;
  columns?: number;
  rows?: number;
}

interface PaintedPrompt extends PaintedRows {
  typed: TypedPrompt;
  /** The whole text if the cursor is at its end. */
  wholeText: string | undefined;
  /** The number of its rows. */
  count: number;
  /** The terminal's size has changed since, which may have moved the rows and the cursor. */
  mayHaveMoved: boolean;
  /** The rows from the first one shown up to the cursor. */
  head: string[];
}

/** Sequences that the layout of rows adds. */
const columnSequences = new RegExp(String.raw`\x1b\[(?:\d+G|2?7m)`, "gu");
/** Text that ends a full row or joins its last character. */
const belongsAbove = /^[\n\p{M}\u200d\p{Emoji_Modifier}]/u;

/** Moves the cursor down a row; in the last row the screen scrolls. */
const indexSequence = "\x1bD";

export class PromptArea {
  readonly #terminal: Terminal;
  readonly #kind: TerminalKind;
  readonly #hasShown: boolean;
  readonly #isSpoken: boolean;
  #painted: PaintedPrompt | undefined;

  /**
   * `hasShown`: the terminal shows a line and its end before it sends it. `isSpoken`: a screen reader reads the output, so that as
   * little as possible is rewritten, and nothing is shown under the prompt.
   */
  constructor(terminal: Terminal, kind: TerminalKind, { hasShown = false, isSpoken = false } = {}) {
    this.#terminal = terminal;
    this.#kind = kind;
    this.#hasShown = hasShown;
    this.#isSpoken = isSpoken;
  }

  get #isDumb(): boolean {
    return this.#kind === "dumb";
  }

  /** True if nothing can be shown under the prompt. */
  get isLinear(): boolean {
    return this.#isDumb || this.#isSpoken;
  }

  get isShown(): boolean {
    return this.#painted !== undefined;
  }

  paint(typed: TypedPrompt): void {
    this.#paint(typed, Math.max(1, sizeOf(this.#terminal).rows - 1));
  }

  /** Leaves the whole text on the screen, with the cursor below it. */
  end(prompt: string, text: string): void {
    const isThere = this.#hasShown && this.#painted?.typed.text === "";
    if (!isThere) this.#paint({ prompt, text, cursor: text.length }, Infinity);
    if (!isThere) this.#terminal.write("\n");
    this.#painted = undefined;
  }

  /** The same with a note in place of the text. A note that does not fit behind the prompt begins in the next row. */
  endWithNote(prompt: string, note: string): void {
    const { columns } = sizeOf(this.#terminal);
    const rows = new Rows(columns);
    rows.add(breakBetweenAnswers(prompt, columns));
    const isFitting = this.#isSpoken || fitsWidth(note, columns - rows.at.column);
    this.end(prompt, isFitting ? note : `\n${note}`);
  }

  /** Removes the prompt from the screen. */
  wipe(): void {
    if (this.#painted === undefined) return;
    this.#findRows();
    this.#terminal.write(this.#isDumb ? "\n" : this.#toStart());
    this.#painted = undefined;
  }

  /** Moves the cursor to the end of the typed text, so that other output starts there. */
  cursorToEnd(): void {
    const typed = this.#painted?.typed;
    if (typed !== undefined) this.paint({ ...typed, cursor: typed.text.length, below: undefined });
  }

  /** Forgets what was painted, because other output came since. The next painting starts at the cursor. */
  forget(): void {
    this.#painted = undefined;
  }

  /** Scrolls everything above the cursor's line into the scrollback, and leaves that line in the first row. */
  clearScreen(): void {
    if (this.#isDumb) return;
    this.#findRows();
    const typed = this.#painted?.typed;
    const below = sizeOf(this.#terminal).rows - 1;
    // Unlike a line end, an index sequence keeps the column: an answer may be half written.
    this.#terminal.write(`${typed === undefined ? "" : this.#toStart()}${indexSequence.repeat(below)}\x1b[${below}A`);
    this.forget();
    if (typed !== undefined) this.paint(typed);
  }

  /** Call this at each change of the terminal's size. The next painting or wiping finds the rows where the terminal has put them. */
  noteResize(): void {
    if (this.#painted !== undefined) this.#painted.mayHaveMoved = true;
  }

  #findRows(): void {
    const painted = this.#painted;
    if (painted?.mayHaveMoved !== true || this.#isDumb) return;
    painted.mayHaveMoved = false;
    const { row, isBehindFullRow } = this.#placeAfterResize(painted);
    // Some terminals leave the cursor at the end of that row, and others put it into the next one. Two blanks lead there in both.
    if (isBehindFullRow) this.#terminal.write("  ");
    painted.row = Math.min(row, Math.max(0, sizeOf(this.#terminal).rows - 1));
    painted.wholeText = undefined;
    if (painted.lines.length > 1 || painted.under !== "") painted.lines = [];
  }

  #paint(typed: TypedPrompt, maxRows: number): void {
    this.#findRows();
    const isLast = maxRows === Infinity;
    const { lines, at, before } = this.#layOut(typed, isLast);
    const isAtEnd = this.#isDumb || typed.cursor === typed.text.length;
    // At the last painting a line end follows, since a row wrapped by the terminal is joined with the next one at another width.
    const isFull = isAtEnd && at.row === lines.length && !isLast;
    if (isFull) lines.push("");
    const top = this.#firstShownRow(at.row, lines.length, maxRows);
    const under = this.#under(typed, maxRows - Math.min(maxRows, lines.length - top));
    const wholeText = isAtEnd && top === 0 && typed.selection === undefined ? lines.join("") : undefined;
    const painted = this.#painted?.wholeText;
    const isUnderSame = this.#isUnderUnchanged(under, isFull, lines.length);
    const canUpdateRow = this.#isSpoken && lines.length < sizeOf(this.#terminal).rows;
    const rows = { lines, under, row: at.row - top, column: at.column, top, isFull: isFull && !this.#isDumb };
    const step = canUpdateRow
      ? singleRowUpdate(this.#painted, lines, at)
      : underUpdate(this.#painted, rows, Math.min(maxRows, lines.length - top));
    // After a full row, a blank makes the terminal move to the next row.
    const below = isFull && !this.#isDumb ? " \x1b[1G" : "";
    if (
      wholeText !== undefined &&
      painted !== undefined &&
      isUnderSame &&
      this.#canAppend(painted, wholeText, isLast)
    ) {
      if (wholeText !== painted) this.#terminal.write(wholeText.slice(painted.length) + below);
    } else if (this.#isDumb) {
      this.#terminal.write(dumbTerminalUpdate(painted, lines.join("")));
    } else if (step !== undefined) {
      if (step !== "") this.#terminal.write(step);
    } else {
      const shown = lines.slice(top, top + maxRows);
      shown.push((shown.pop() ?? "").replace(/\r?\n/u, ""));
      const up = shown.length + under.split("\n").length - 2 - (at.row - top);
      const back = isAtEnd && under === "" ? "" : `${up > 0 ? `\x1b[${up}A` : ""}\x1b[${at.column + 1}G`;
      this.#terminal.write(this.#toStart() + shown.join("") + below + withoutWrapping(under) + back);
    }
    const head = before.slice(top);
    this.#painted = { ...rows, typed, wholeText, head, count: lines.length, mayHaveMoved: false };
  }

  /** Returns the first row to show of a text taller than the screen. Scrolls no further than the cursor needs, without empty rows. */
  #firstShownRow(row: number, count: number, maxRows: number): number {
    const top = Math.max(this.#painted?.top ?? 0, row - maxRows + 1);
    return Math.max(0, Math.min(top, row, count - maxRows));
  }

  /** Returns whether the text under the prompt need not be rewritten, because it and the prompt's rows are unchanged. */
  #isUnderUnchanged(under: string, isFull: boolean, count: number): boolean {
    const painted = this.#painted;
    if (under !== painted?.under) return false;
    return under === "" || (count === painted.count && !isFull && !painted.isFull);
  }

  /** Returns the lines under the prompt, each after a line end. */
  #under({ below }: TypedPrompt, rows: number): string {
    if (below === undefined || this.isLinear || rows < 1 || rows === Infinity) return "";
    const { columns } = sizeOf(this.#terminal);
    return below(rows, columns - 1)
      .map((line) => `\n${line}`)
      .join("");
  }

  /** Returns whether the added text can simply be written at the cursor. */
  #canAppend(before: string, wholeText: string, isLast: boolean): boolean {
    if (!wholeText.startsWith(before)) return false;
    const isFull = this.#painted?.isFull === true;
    return !isFull || (!isLast && !belongsAbove.test(wholeText.slice(before.length, before.length + 2)));
  }

  #toStart(): string {
    const row = this.#painted?.row ?? 0;
    return `${row > 0 ? `\x1b[${row}A` : ""}${clearRowAndBelow}`;
  }

  /** Returns the cursor's row after a change of the terminal's width, and whether a row that is full only now ends before the cursor. */
  #placeAfterResize({ head, row, isFull }: PaintedPrompt): { row: number; isBehindFullRow: boolean } {
    if (this.#kind === "cuts") return { row, isBehindFullRow: false };
    const moved = this.#kind === "rewraps" ? head.length : head.findLastIndex((line) => line.endsWith("\n")) + 1;
    const rows = new Rows(sizeOf(this.#terminal).columns);
    // The indents are text for the terminal, and any line end ends its row.
    const lines = head.slice(0, moved).join("").replaceAll(columnSequences, "").split(/\r?\n/u);
    for (const [at, part] of lines.entries()) {
      if (at > 0) rows.endRow();
      rows.add(part);
    }
    // Without a scrollback urxvt also cuts its rows off.
    if (this.#kind === "rewrapsToStart") return { row: Math.min(moved, rows.at.row), isBehindFullRow: false };
    if (moved < head.length) return { row: rows.at.row + row - moved, isBehindFullRow: false };
    return { row: rows.at.row, isBehindFullRow: !isFull && rows.at.row === rows.lines.length };
  }

  /** `before` are the rows up to the cursor. */
  #layOut(
    { prompt, text, cursor, selection }: TypedPrompt,
    isLast: boolean,
  ): Pick<Rows, "lines" | "at"> & { before: string[] } {
    const { columns } = sizeOf(this.#terminal);
    const rows = new Rows(this.#isDumb ? Infinity : columns);
    const selected = this.isLinear ? undefined : selection;
    rows.add(this.#isSpoken ? prompt : breakBetweenAnswers(prompt, columns));
    for (const { from, to, isSelected } of splitAtSelection({ from: 0, to: cursor }, selected))
      rows.add(safeTextBeforeCursor(text.slice(from, to)), isSelected);
    const { at } = rows;
    const before = [...rows.lines];
    for (const { from, to, isSelected } of splitAtSelection({ from: cursor, to: text.length }, selected))
      rows.add(to < text.length ? safeTextBeforeCursor(text.slice(from, to)) : sanitize(text.slice(from)), isSelected);
    if (isLast) rows.dropEmptyRow();
    return { lines: rows.lines, at, before };
  }
}

const openJoiner = new RegExp(`[${joiningLetters}][\\u200c\\u200d]$`);

/** Makes the text before the cursor safe to show. After a joiner of Persian or Hindi, the next letter may still come. */
function safeTextBeforeCursor(text: string): string {
  return openJoiner.test(text) ? sanitize(`${text}\u0645`).slice(0, -1) : sanitize(text);
}

/** Updates the line like a terminal's own line editing: erases the last characters, or writes the whole line again. */
function dumbTerminalUpdate(before: string | undefined, wholeText: string): string {
  if (before === undefined) return wholeText;
  const removed = before.startsWith(wholeText) ? before.slice(wholeText.length) : undefined;
  return removed !== undefined && /^[ -~]+$/u.test(removed) ? "\b \b".repeat(removed.length) : `\n${wholeText}`;
}
