/** The selected part of a text. Places are counted in UTF-16 units. */

export interface TextRange {
  from: number;
  to: number;
}

/** Splits a range where the selection begins and ends. */
export function splitAtSelection(
  { from, to }: TextRange,
  selection: TextRange | undefined,
): (TextRange & { isSelected: boolean })[] {
  if (selection === undefined) return [{ from, to, isSelected: false }];
  const start = Math.min(to, Math.max(from, selection.from));
  const end = Math.max(start, Math.min(to, selection.to));
  return [
    { from, to: start, isSelected: false },
    { from: start, to: end, isSelected: true },
    { from: end, to, isSelected: false },
  ];
}
