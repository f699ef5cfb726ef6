/** Parses each line as JSON, leaving out empty lines. */
export function jsonLines<Line = Record<string, unknown>>(text: string): Line[] {
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
}
