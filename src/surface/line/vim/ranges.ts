/** Computes what an operator of Vim's normal mode takes. */
import { clusterRight, lineEnd, lineStart } from "../motion.ts";
import { isCaseOperator, type Command } from "./command.ts";
import { lineRange, type TakenRange } from "./edits.ts";
import type { Motions } from "./motions.ts";
import { firstNonBlank, nthLineStart, wordEndFrom, type Motion } from "./places.ts";
import { textObjectAt } from "./objects.ts";

/** `start` is where the cursor goes after a copy. */
export type OperatorRange = TakenRange & { start: number };

/** Returns undefined if the command fails. */
export function operatorRange(
  { operator, what, ...command }: Command,
  motions: Motions,
  text: string,
  cursor: number,
): OperatorRange | undefined {
  // `guu` is short for `gugu`.
  if (operator !== undefined && (what === operator || what === operator.slice(1))) {
    const last = nthLineStart(text, command.count, cursor);
    // A count without a line below makes the command fail.
    if (command.count > 1 && last === cursor) return undefined;
    const lines = lineRange(text, cursor, last);
    if (operator === "y") return { ...lines, start: cursor };
    if (!isCaseOperator(operator)) return { ...lines, start: lines.from };
    return { ...lines, start: last === cursor ? Math.min(cursor, firstNonBlank(text, cursor)) : cursor };
  }
  if (/^[ia]./su.test(what)) {
    const range = textObjectAt(text, cursor, what, command.count);
    return range === undefined ? undefined : withoutLastLineEnd(text, range);
  }
  const isWord = what === "w" || what === "W";
  if (isWord && operator === "c" && /\S/u.test(text.charAt(cursor))) {
    // The blanks after the last word stay.
    const last = wordEndFrom(text, cursor, what === "W", command.count);
    return { from: cursor, to: clusterRight(text, last), isLines: false, start: cursor };
  }
  const motion = motions.resolve({ ...command, what }, text, cursor);
  if (motion === undefined) return undefined;
  const range = motionRange(motion, text, cursor, isWord);
  return operator === "d" && isWholeLines(text, range) ? { ...range, ...lineRange(text, range.from, range.to) } : range;
}

function motionRange(motion: Motion, text: string, cursor: number, isWord: boolean): OperatorRange {
  const [from, to] = motion.to < cursor ? [motion.to, cursor] : [cursor, motion.to];
  if (motion.takes === "line") return { ...lineRange(text, from, to), start: from };
  if (motion.takes === "on") {
    const end = Math.min(lineEnd(text, to), clusterRight(text, to));
    return { from, to: end, isLines: false, start: from };
  }
  const range = { from, to, isLines: false, start: from };
  const behindWords = isWord ? /\n(?:[^\S\n]+\n)*[^\S\n]*$/u.exec(text.slice(from, to)) : null;
  // Neither the line end after the last word nor the blanks before the next one are taken. Empty lines are words, too.
  if (behindWords !== null && text[from] !== "\n") return { ...range, to: from + behindWords.index };
  if (behindWords !== null) return withoutLastLineEnd(text, { ...range, to: from + behindWords.index + 1 });
  return motion.takes === "end" ? range : withoutLastLineEnd(text, range);
}

/** At the start of a line a range ends on the line before, and takes whole lines if it started in an indent. */
function withoutLastLineEnd(text: string, range: TakenRange): OperatorRange {
  const { from, to } = range;
  if (range.isLines || to !== lineStart(text, to) || to <= from) return { ...range, start: from };
  if (from <= firstNonBlank(text, from)) return { ...lineRange(text, from, to - 1), start: from };
  return { from, to: to - 1, isLines: false, start: from };
}

/** Returns whether only blanks would remain of several lines, which are then deleted as lines. */
function isWholeLines(text: string, { from, to, isLines }: TakenRange): boolean {
  if (isLines || !text.slice(from, to).includes("\n")) return false;
  return firstNonBlank(text, from) >= from && /^[ \t]*$/u.test(text.slice(to, lineEnd(text, to)));
}
