/**
 * The prompt and what is typed at it, on its own rows of the terminal. Only here does the cursor move up, and never past
 * the prompt's first row: what stands above it is not touched, whatever the width was or becomes.
 */
import { sanitize } from "../../lib/sanitize.ts";
import { Rows } from "./rows.ts";
import { sizeOf } from "./screen.ts";

/** Lines to stand under it: at most so many, of at most so many columns each. They are safe to show. */
export type Below = (rows: number, columns: number) => string[];

export interface Typed {
  prompt: string;
  text: string;
  /** Characters before it. */
  cursor: number;
  below?: Below | undefined;
}

export interface Terminal {
  write(text: string): unknown;
  columns?: number;
  rows?: number;
}

interface Painted {
  typed: Typed;
  /** All of it, when the cursor is at its end. */
  whole: string | undefined;
  /** The cursor's row, counted from the first that is shown. */
  row: number;
  /** The last row is full, and the cursor on an empty one below it. */
  isFull: boolean;
}

/** What ends a row that is full, or joins its last character. */
const belongsAbove = /^[\n\p{M}\u200d\p{Emoji_Modifier}]/u;

export class PromptArea {
  readonly #terminal: Terminal;
  readonly #isDumb: boolean;
  #painted: Painted | undefined;

  /** `isDumb`: a terminal that cannot move its cursor. */
  constructor(terminal: Terminal, isDumb: boolean) {
    this.#terminal = terminal;
    this.#isDumb = isDumb;
  }

  get isShown(): boolean {
    return this.#painted !== undefined;
  }

  paint(typed: Typed): void {
    this.#paint(typed, Math.max(1, sizeOf(this.#terminal).rows - 1));
  }

  /** All of it stays on the screen, and the cursor is below. */
  end(prompt: string, text: string): void {
    this.#paint({ prompt, text, cursor: text.length }, Infinity);
    if (this.#painted?.isFull !== true) this.#terminal.write("\n");
    this.#painted = undefined;
  }

  /** Takes it off the screen. */
  wipe(): void {
    if (this.#painted === undefined) return;
    this.#terminal.write(this.#isDumb ? "\n" : this.#toStart());
    this.#painted = undefined;
  }

  /** Whoever writes next begins behind all that was typed. */
  toEnd(): void {
    const typed = this.#painted?.typed;
    if (typed !== undefined) this.paint({ ...typed, cursor: typed.text.length, below: undefined });
  }

  /** Somebody else has written since: what is painted next begins where the cursor is. */
  forget(): void {
    this.#painted = undefined;
  }

  /** The prompt alone is left, in the first row, where it is shown. */
  clearScreen(): void {
    if (this.#isDumb) return;
    const typed = this.#painted?.typed;
    this.#terminal.write("\x1b[H\x1b[J");
    this.forget();
    if (typed !== undefined) this.paint(typed);
  }

  /** Terminals break the rows anew, and the cursor stays at its character. */
  resized(): void {
    const painted = this.#painted;
    if (painted === undefined || this.#isDumb) return;
    painted.row = Math.min(this.#layOut(painted.typed).at.row, Math.max(0, sizeOf(this.#terminal).rows - 1));
    painted.whole = undefined;
    this.paint(painted.typed);
  }

  #paint(typed: Typed, most: number): void {
    const { lines, at } = this.#layOut(typed);
    const isAtEnd = this.#isDumb || typed.cursor === typed.text.length;
    const isFull = isAtEnd && at.row === lines.length;
    if (isFull) lines.push("");
    const top = Math.max(0, at.row - most + 1);
    const under = this.#under(typed, most - Math.min(most, lines.length - top));
    const whole = isAtEnd && top === 0 && under === "" ? lines.join("") : undefined;
    const before = this.#painted?.whole;
    // A blank makes the terminal go on to the row below a full one.
    const below = isFull && !this.#isDumb ? " \x1b[1G" : "";
    if (whole !== undefined && before !== undefined && this.#goesOn(before, whole)) {
      if (whole !== before) this.#terminal.write(whole.slice(before.length) + below);
    } else if (this.#isDumb) {
      this.#terminal.write(dumbStep(before, lines.join("")));
    } else {
      const shown = lines.slice(top, top + most);
      shown.push((shown.pop() ?? "").replace("\n", ""));
      const up = shown.length + under.split("\n").length - 2 - (at.row - top);
      const back = isAtEnd && under === "" ? "" : `${up > 0 ? `\x1b[${up}A` : ""}\x1b[${at.column + 1}G`;
      this.#terminal.write(this.#toStart() + shown.join("") + below + under + back);
    }
    this.#painted = { typed, whole, row: at.row - top, isFull: isFull && !this.#isDumb };
  }

  /** Each of its lines behind a line end. */
  #under({ below }: Typed, rows: number): string {
    if (below === undefined || this.#isDumb || rows < 1 || rows === Infinity) return "";
    const { columns } = sizeOf(this.#terminal);
    return below(rows, columns - 1)
      .map((line) => `\n${line}`)
      .join("");
  }

  /** What is added can be written where the cursor is. */
  #goesOn(before: string, whole: string): boolean {
    if (!whole.startsWith(before)) return false;
    return this.#painted?.isFull !== true || !belongsAbove.test(whole.slice(before.length, before.length + 2));
  }

  #toStart(): string {
    const row = this.#painted?.row ?? 0;
    return `${row > 0 ? `\x1b[${row}A` : ""}\r\x1b[J`;
  }

  #layOut({ prompt, text, cursor }: Typed): Pick<Rows, "lines" | "at"> {
    const rows = new Rows(this.#isDumb ? Infinity : sizeOf(this.#terminal).columns);
    rows.add(prompt);
    rows.add(sanitize(text.slice(0, cursor)));
    const { at } = rows;
    rows.add(sanitize(text.slice(cursor)));
    return { lines: rows.lines, at };
  }
}

/** As a terminal's own line editing does it: the last characters are taken back, or all of it is written anew. */
function dumbStep(before: string | undefined, whole: string): string {
  if (before === undefined) return whole;
  const taken = before.startsWith(whole) ? before.slice(whole.length) : undefined;
  return taken !== undefined && /^[ -~]+$/u.test(taken) ? "\b \b".repeat(taken.length) : `\n${whole}`;
}
