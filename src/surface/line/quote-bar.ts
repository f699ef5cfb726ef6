/** Puts quoted lines of a question behind a bar, so that only pawl's own text starts at the left edge. */
import type { Style } from "../show/style.ts";
import { OpenStyles } from "./markdown/open-styles.ts";
import { cellsOf } from "./width.ts";

/** ASCII is split by length alone, because a command may be long. Its last character may be followed by combining marks. */
const barParts = new RegExp(String.raw`(\x1b\[[\d;]+m)|[ -~]+(?=[ -~\x1b]|$)|[ -~]?[^ -~\x1b]+|[ -~]`, "gu");
const ascii = /^[ -~]+$/u;
const minRoom = 8;

/**
 * Breaks the line into rows of `room` columns. All rows but the first have a different bar, so that none looks like a line of its
 * own. For a screen reader the line stays whole.
 */
export function quoteBehindBar(line: string, style: Style, room: number, margin = "  "): string[] {
  if (style.isSpoken) return [`${style.marks.bar}${line}`];
  const rows = new BarredRows(Math.max(minRoom, room));
  for (const { 0: part, 1: code } of line.matchAll(barParts)) {
    if (code !== undefined) rows.style(code);
    else if (ascii.test(part)) rows.writePlain(part);
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
    this.#open.track(code);
  }

  writePlain(text: string): void {
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
