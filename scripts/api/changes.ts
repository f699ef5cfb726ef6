// Lists the lines of two texts that the other one does not have.

const shown = 12;
const width = 160;

/** Returns at most `shown` removed lines, and then as many added ones. */
export function changes(before: string, after: string): string[] {
  const [old, young] = [before.split("\n"), after.split("\n")];
  return [...missing(old, young, "-"), ...missing(young, old, "+")];
}

function missing(of: readonly string[], from: readonly string[], mark: string): string[] {
  const counts = new Map<string, number>();
  for (const line of from) counts.set(line, (counts.get(line) ?? 0) + 1);
  const lines = of.filter((line) => {
    const left = counts.get(line) ?? 0;
    counts.set(line, left - 1);
    return left <= 0 && line.trim() !== "";
  });
  const told = lines.slice(0, shown).map((line) => `  ${mark} ${shortened(line.trim())}`);
  return lines.length > shown ? [...told, `  ${mark} … and ${lines.length - shown} more`] : told;
}

function shortened(line: string): string {
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}
