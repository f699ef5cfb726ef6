// Lists the lines of two texts that the other one does not have.

const maxShownLines = 12;
const maxLineWidth = 160;

/** Returns at most `maxShownLines` removed lines, and then as many added ones. */
export function changedLines(before: string, after: string): string[] {
  const [oldLines, newLines] = [before.split("\n"), after.split("\n")];
  return [...linesMissing(oldLines, newLines, "-"), ...linesMissing(newLines, oldLines, "+")];
}

function linesMissing(of: readonly string[], from: readonly string[], mark: string): string[] {
  const counts = new Map<string, number>();
  for (const line of from) counts.set(line, (counts.get(line) ?? 0) + 1);
  const lines = of.filter((line) => {
    const left = counts.get(line) ?? 0;
    counts.set(line, left - 1);
    return left <= 0 && line.trim() !== "";
  });
  const shownLines = lines.slice(0, maxShownLines).map((line) => `  ${mark} ${shorten(line.trim())}`);
  return lines.length > maxShownLines ? [...shownLines, `  ${mark} … and ${lines.length - maxShownLines} more`] : shownLines;
}

function shorten(line: string): string {
  return line.length <= maxLineWidth ? line : `${line.slice(0, maxLineWidth - 1)}…`;
}
