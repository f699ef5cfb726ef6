// Characters as a person counts them, with the columns that today's terminals give each.

export const characters: readonly (readonly [string, number])[] = [
  ["a", 1],
  [" ", 1],
  ["~", 1],
  ["é", 1],
  ["e\u0301", 1],
  ["日", 2],
  ["本", 2],
  ["！", 2],
  ["ｱ", 1],
  ["한", 2],
  // The same in its parts.
  ["\u1112\u1161\u11ab", 2],
  ["\u1112", 2],
  ["👩‍👩‍👧", 2],
  ["🏴‍☠️", 2],
  ["👍", 2],
  ["👍🏽", 2],
  ["🧑🏾‍🚀", 2],
  ["🇩🇪", 2],
  ["❤", 1],
  ["❤️", 2],
  ["1️⃣", 2],
  ["⌚", 2],
  ["𝒳", 1],
  ["𠮷", 2],
  ["क", 1],
];

/** None of these is a part of another one that can stand before it. */
const unit = new RegExp(
  `${characters
    .map(([character]) => character)
    .toSorted((one, other) => other.length - one.length)
    .join("|")}|[^]`,
  "gu",
);

export function unitsOf(text: string): string[] {
  return text.match(unit) ?? [];
}

export function widthOf(character: string): number {
  return characters.find(([known]) => known === character)?.[1] ?? 1;
}

/** Rows as a terminal of this width breaks them, and where the cursor is behind the last. */
export function broken(text: string, columns: number): { rows: string[]; row: number; column: number } {
  const rows = [""];
  let column = 0;
  for (const character of unitsOf(text)) {
    const width = widthOf(character);
    if (character === "\n") {
      rows.push(columns < 8 ? "" : "  ");
      column = columns < 8 ? 0 : 2;
      continue;
    }
    if (column + width > columns) {
      rows.push("");
      column = 0;
    }
    rows[rows.length - 1] += character;
    column += width;
  }
  const at = column < columns ? { row: rows.length - 1, column } : { row: rows.length, column: 0 };
  return { rows: rows.map((row) => row.trimEnd()), ...at };
}
