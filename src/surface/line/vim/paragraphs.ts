/** Computes the places of Vim's paragraphs, which blank lines separate. */
import { clusterLeft, lineEnd, lineStart } from "../motion.ts";
import type { TakenRange } from "./edits.ts";
import type { Motion } from "./places.ts";

/** Returns where `}` or `{` leads: to the nth empty line behind other text, or to the end of the text. */
export function paragraphMotion(text: string, from: number, what: "{" | "}", count: number): Motion | undefined {
  const isForward = what === "}";
  const next = (at: number): number => (isForward ? lineEnd(text, at) + 1 : lineStart(text, at) - 1);
  let at = from;
  for (let left = count; left > 0; left -= 1) {
    let hasText = !isEmptyLine(text, at);
    do {
      const to = next(at);
      if (to < 0 || to > text.length) {
        if (left > 1) return undefined;
        if (!isForward) return { to: 0, takes: "before" };
        const last = Math.max(lineStart(text, text.length), clusterLeft(text, text.length));
        return { to: last, takes: last === text.length ? "before" : "on" };
      }
      at = lineStart(text, to);
      hasText ||= !isEmptyLine(text, at);
    } while (!hasText || !isEmptyLine(text, at));
  }
  return { to: at, takes: "before" };
}

function isEmptyLine(text: string, at: number): boolean {
  return lineStart(text, at) === lineEnd(text, at);
}

interface Run {
  from: number;
  to: number;
  isBlank: boolean;
}

/** Returns the lines of a paragraph, or of blank lines between two. `isAround`: both, as one object. */
export function paragraphRangeAt(text: string, at: number, isAround: boolean, count: number): TakenRange | undefined {
  const runs = lineRuns(text);
  const first = runs.findIndex(({ to }) => at <= to);
  const own = runs[first];
  let last = first + (isAround ? 2 * count : count) - 1;
  let start = first;
  // Without blank lines after a paragraph, those before it are taken.
  if (isAround && last === runs.length && own?.isBlank === false) {
    last -= 1;
    start = Math.max(0, first - 1);
  }
  const [from, to] = [runs[start]?.from, runs[last]?.to];
  return from === undefined || to === undefined ? undefined : { from, to, isLines: true };
}

/** Splits the text into runs of lines with and without text. The line end after a run belongs to none. */
function lineRuns(text: string): Run[] {
  const runs: Run[] = [];
  for (let from = 0; from <= text.length; from = lineEnd(text, from) + 1) {
    const to = lineEnd(text, from);
    const isBlank = text.slice(from, to).trim() === "";
    const last = runs.at(-1);
    if (last?.isBlank === isBlank) last.to = to;
    else runs.push({ from, to, isBlank });
  }
  return runs;
}
