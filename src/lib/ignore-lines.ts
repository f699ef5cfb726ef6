/** The lines of a file such as `.gitignore`, each a pattern; the last that means a path decides. */
import { parsePathPattern, withoutSpaces, type PathPattern } from "./path-pattern.ts";
import { readRegularFile } from "./regular-file.ts";

export interface IgnoreLine {
  /** Without the `!` of what is kept, and blanks at the end. */
  text: string;
  pattern: PathPattern;
  /** What it means is kept, whatever a line before says. */
  isNegated: boolean;
}

const maxBytes = 256 * 1024;

/** None where the file cannot be read, or is longer than any is. */
export function ignoreLinesIn(path: string): IgnoreLine[] {
  const read = readRegularFile(path, maxBytes);
  if (!read.ok) return [];
  return read.text.split(/\r?\n/u).flatMap((line): IgnoreLine[] => {
    const isNegated = line.startsWith("!");
    const text = withoutSpaces(isNegated ? line.slice(1) : line);
    const pattern = parsePathPattern(text, { folds: false });
    return pattern === null ? [] : [{ text, pattern, isNegated }];
  });
}
