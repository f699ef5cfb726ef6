/** Progress bars: of the states that one row of a terminal shows one after the other, only the last counts. */
import { stripControls } from "../../lib/sanitize.ts";

/** Up to this many states are shown one below the other: that is not a progress bar. */
const mostStates = 3;
export const comparedStates = 40;

/**
 * Returns the last state of a progress bar, and below it how many are left out: `leftOut`, which came before the row, included.
 * Undefined if the row is no progress bar: in files with old Mac line ends, \r ends a line.
 */
export function foldProgressBar(row: string, leftOut = 0): string | undefined {
  const states = row.split("\r").filter((state) => state !== "");
  const last = states.findLastIndex((state) => stripControls(state).trim() !== "");
  if (last < mostStates || !isProgressBar(states.slice(Math.max(0, last + 1 - comparedStates), last + 1)))
    return undefined;
  return `${states[last]?.trimEnd() ?? ""}\n${leftOutText(leftOut + last)}`;
}

export function leftOutText(count: number): string {
  return `[… ${count} earlier states of this line, overwritten by \\r, left out …]`;
}

/** The states of a bar differ only in their figures; lines of a text do not. */
export function isProgressBar(states: readonly string[]): boolean {
  const words = new Set(states.map((state) => stripControls(state).replace(/\P{L}+/gu, "")));
  return words.size <= states.length / 2;
}
