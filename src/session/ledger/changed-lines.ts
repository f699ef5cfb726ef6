/** What of two texts differs, by their lines: by their ends alone, which costs next to nothing. */

/** All between the first and the last difference. */
export function changedPart(old: readonly string[], young: readonly string[]): { removed: string[]; added: string[] } {
  const most = Math.min(old.length, young.length);
  let start = 0;
  while (start < most && old[start] === young[start]) start++;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === young[young.length - 1 - end]) end++;
  return { removed: old.slice(start, old.length - end), added: young.slice(start, young.length - end) };
}

/** Each with its line end, so that a changed one counts. */
export function linesIn(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}
