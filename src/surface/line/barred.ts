/** Lines of what a person is asked about, behind a bar: what stands at the left edge is pawl's own. */
import type { Style } from "../show/style.ts";
import { OpenStyles } from "./markdown/open-styles.ts";
import { cellsOf } from "./width.ts";

/** ASCII is broken by its length alone, since a command may be long; the last of it may take marks to itself. */
const parts = new RegExp(String.raw`(\x1b\[\d+m)|[ -~]+(?=[ -~\x1b]|$)|[ -~]?[^ -~\x1b]+|[ -~]`, "gu");
const ascii = /^[ -~]+$/u;
const leastRoom = 8;

/** As many rows as it takes, of `room` columns each; all but the first have another bar, so that none passes for a line. One that is read aloud is whole. */
export function barred(line: string, style: Style, room: number, margin = "  "): string[] {
  if (style.isSpoken) return [`${style.marks.bar}${line}`];
  const rows = new BarredRows(Math.max(leastRoom, room));
  for (const { 0: part, 1: code } of line.matchAll(parts)) {
    if (code !== undefined) rows.style(code);
    else if (ascii.test(part)) rows.plain(part);
    else for (const { text, columns } of cellsOf(part)) rows.put(text, columns);
  }
  return rows.end().map((row, at) => `${margin}${style.dim(at === 0 ? "│" : "┆")} ${row}`);
}

class BarredRows {
  readonly #room: number;
  readonly #rows: string[] = [];
  readonly #open = new OpenStyles();
  #row = "";
  #column = 0;

  constructor(room: number) {
    this.#room = room;
  }

  style(code: string): void {
    this.#row += code;
    this.#open.note(code);
  }

  plain(text: string): void {
    for (let at = 0; at < text.length;) {
      const room = this.#room - this.#column;
      const piece = text.slice(at, at + (room > 0 ? room : this.#room));
      this.put(piece, piece.length);
      at += piece.length;
    }
  }

  put(text: string, columns: number): void {
    if (this.#column + columns > this.#room) {
      this.#rows.push(this.#row + this.#open.off);
      [this.#row, this.#column] = [this.#open.on, 0];
    }
    this.#row += text;
    this.#column += columns;
  }

  end(): string[] {
    return [...this.#rows, this.#row];
  }
}
