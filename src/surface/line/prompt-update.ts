/** Changes a part of the painted prompt in its place, because rows that are erased and written again flicker. */
import { clusterLeft, clusterRight } from "./motion.ts";
import { withoutWrapping } from "./screen.ts";
import { displayWidth } from "./width.ts";

const lineEndPattern = /\r?\n/u;

/** The prompt's rows on the screen. */
export interface PaintedRows {
  lines: readonly string[];
  /** The text under the prompt, each row after a line end. */
  under: string;
  /** The cursor's row, counted from the first row that is shown. */
  row: number;
  column: number;
  /** The index in the text of the first row that is shown. */
  top: number;
  /** The last row is full, and the cursor is on an empty row below it. */
  isFull: boolean;
}

/** Returns output that rewrites only the rows under the prompt, or undefined if more has changed. `shown`: the prompt's rows on the screen. */
export function underUpdate(before: PaintedRows | undefined, now: PaintedRows, shown: number): string | undefined {
  if (before === undefined || before.isFull || now.isFull) return undefined;
  const isSame = before.row === now.row && before.column === now.column && before.top === now.top;
  if (!isSame || before.lines.length !== now.lines.length) return undefined;
  if (now.lines.some((line, at) => line !== before.lines[at])) return undefined;
  if (now.under === before.under) return "";
  if (now.under === "") return undefined;
  const down = shown - 1 - now.row;
  const rows = now.under.split("\n");
  const back = `\x1b[${rows.length - 1 + down}A\x1b[${now.column + 1}G`;
  const written = withoutWrapping(rows.join("\x1b[K\n").replace("\x1b[K", ""));
  return `${down > 0 ? `\x1b[${down}B` : ""}${written}\x1b[J${back}`;
}

/** Returns whether the place is between two characters, and not within one. */
function isClusterBoundary(text: string, at: number): boolean {
  return at === 0 || clusterRight(text, clusterLeft(text, at)) === at;
}

/** Returns output that rewrites only the one row that differs, or undefined if more has changed. */
export function singleRowUpdate(
  before: PaintedRows | undefined,
  lines: readonly string[],
  at: { row: number; column: number },
): string | undefined {
  if (before === undefined || before.isFull || before.lines.length !== lines.length) return undefined;
  const row = lines.findIndex((line, index) => line !== before.lines[index]);
  const here = { row: before.row, column: before.column };
  if (row === -1) return moveCursor(here, at);
  const [old = "", after = ""] = [before.lines[row], lines[row]];
  // A row that the terminal has wrapped continues in the next one.
  const isWhole = row === lines.length - 1 || (old.endsWith("\n") && after.endsWith("\n"));
  if (!isWhole || lines.some((line, index) => index > row && line !== before.lines[index])) return undefined;
  return rowUpdate(here, { row, old: old.replace(lineEndPattern, ""), after: after.replace(lineEndPattern, "") }, at);
}

function rowUpdate(
  here: { row: number; column: number },
  { row, old, after }: { row: number; old: string; after: string },
  at: { row: number; column: number },
): string | undefined {
  let same = 0;
  while (same < after.length && after[same] === old[same]) same += 1;
  const [removed, added] = [old.slice(same), after.slice(same)];
  if (`${old}${after}`.includes("\x1b") || !isClusterBoundary(old, same) || !isClusterBoundary(after, same))
    return undefined;
  const from = displayWidth(after.slice(0, same));
  const end = from + displayWidth(added);
  const rest = displayWidth(removed) > displayWidth(added) ? "\x1b[K" : "";
  return moveCursor(here, { row, column: from }) + added + rest + moveCursor({ row, column: end }, at);
}

function moveCursor(here: { row: number; column: number }, at: { row: number; column: number }): string {
  const down = at.row - here.row;
  const rows = down === 0 ? "" : `\x1b[${Math.abs(down)}${down > 0 ? "B" : "A"}`;
  return rows + (at.column === here.column ? "" : `\x1b[${at.column + 1}G`);
}
