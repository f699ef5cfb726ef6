/** Lines of what a person is asked about, behind a bar: what stands at the left edge is pawl's own. */
import type { Style } from "../show/style.ts";
import { cellsOf, fits } from "./width.ts";

/** A line that has one colour, or none: of one with several the rows are ended already, where it is laid out. */
const coloured = new RegExp(String.raw`^(\x1b\[\d+m)?([^\x1b]*)(\x1b\[\d+m)?$`, "u");
const leastRoom = 8;

/** As many rows as it takes, of `room` columns each; all but the first have another bar, so that none passes for a line. */
export function barred(line: string, style: Style, room: number): string[] {
  const [, on = "", text, off = ""] = coloured.exec(line) ?? [];
  const rows = text === undefined ? [line] : rowsOf(text, Math.max(leastRoom, room));
  return rows.map((row, at) => `  ${style.dim(at === 0 ? "│" : "┆")} ${on}${row}${off}`);
}

function rowsOf(text: string, room: number): string[] {
  if (fits(text, room)) return [text];
  const rows: string[] = [];
  let row = "";
  let column = 0;
  for (const cell of cellsOf(text)) {
    if (column + cell.columns > room) {
      rows.push(row);
      [row, column] = ["", 0];
    }
    row += cell.text;
    column += cell.columns;
  }
  return [...rows, row];
}
