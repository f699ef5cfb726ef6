/** Compares two texts by lines: only their common start and end are found, which costs next to nothing. */

/** Everything between the first and the last difference. */
export function changedLines(
  before: readonly string[],
  after: readonly string[],
): { removed: string[]; added: string[] } {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { removed: before.slice(start, before.length - end), added: after.slice(start, after.length - end) };
}

/** The lines with their line ends, so that a changed line end counts. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}
