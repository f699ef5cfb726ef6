/** Compares two texts by lines: only their common start and end are found, which costs next to nothing. */

/** Everything between the first and the last difference. */
export function changedPart(old: readonly string[], young: readonly string[]): { removed: string[]; added: string[] } {
  const most = Math.min(old.length, young.length);
  let start = 0;
  while (start < most && old[start] === young[start]) start++;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === young[young.length - 1 - end]) end++;
  return { removed: old.slice(start, old.length - end), added: young.slice(start, young.length - end) };
}

/** The lines with their line ends, so that a changed line end counts. */
export function linesIn(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}
