/** What Vim's objects do to a selection: they replace a single character, and extend more than that. */
import { clusterLeft, clusterRight, lineEnd, lineStart } from "../motion.ts";
import { textObjectAt } from "./objects.ts";

interface Ends {
  anchor: number;
  cursor: number;
}

/** `isLines`: whole lines are selected. */
type Selected = Ends & { isLines: boolean };

/** Returns undefined if there is no such object. */
export function selectObject(
  text: string,
  { anchor, cursor, isLines }: Selected,
  name: string,
  count: number,
): Selected | undefined {
  const [from, to] = [Math.min(anchor, cursor), Math.max(anchor, cursor)];
  const kind = name.slice(1);
  const isSingle = kind === "p" ? lineStart(text, from) === lineStart(text, to) : from === to;
  const ends = (start: number, end: number, areLines: boolean): Selected => ({
    anchor: start,
    cursor: areLines ? lineStart(text, end) : Math.max(start, clusterLeft(text, end)),
    isLines: areLines,
  });
  if (isSingle || /["'`]/u.test(kind)) {
    const found = textObjectAt(text, cursor, name, count);
    // An empty object cannot be selected.
    if (found === undefined || (found.from === found.to && !found.isLines)) return undefined;
    const isSelected =
      isLines && found.isLines && found.from === lineStart(text, from) && found.to === lineEnd(text, to);
    if (!isSelected) return ends(found.from, found.to, found.isLines);
  }
  if (/[wWp]/u.test(kind)) {
    const isBack = cursor < anchor;
    const [first, last] = kind === "p" ? [lineStart(text, from), lineEnd(text, to)] : [from, to];
    const at = isBack ? first - 1 : clusterRight(text, last);
    if (at < 0 || at >= text.length) return undefined;
    const found = textObjectAt(text, at, name, count);
    if (found === undefined) return undefined;
    if (isBack) return { anchor, cursor: found.from, isLines: found.isLines };
    return { ...ends(from, found.to, found.isLines), anchor };
  }
  // The nearest pair of brackets around more than is selected.
  for (let left = count, pairs = 1; ; pairs += 1) {
    const found = textObjectAt(text, from, name, pairs);
    if (found === undefined) return undefined;
    const isMore = found.from <= from && found.to > to && (found.from < from || found.to > clusterRight(text, to));
    if (isMore) left -= 1;
    if (isMore && left === 0) return ends(found.from, found.to, false);
  }
}
