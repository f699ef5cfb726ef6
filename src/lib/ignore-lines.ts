/** The lines of a file such as `.gitignore`, each a pattern; the last one that matches a path decides. */
import { parsePathPattern, trimUnescapedSpaces, type PathPattern } from "./path-pattern.ts";
import { readRegularFile } from "./regular-file.ts";

export interface IgnoreLine {
  /** Without a leading `!` and trailing blanks. */
  text: string;
  pattern: PathPattern;
  /** Paths that match are kept, whatever earlier lines say. */
  isNegated: boolean;
}

const maxBytes = 256 * 1024;

/** Empty if the file cannot be read, or is larger than any real one. */
export function readIgnoreLines(path: string): IgnoreLine[] {
  const read = readRegularFile(path, maxBytes);
  if (!read.ok) return [];
  return read.text.split(/\r?\n/u).flatMap((line): IgnoreLine[] => {
    const isNegated = line.startsWith("!");
    const text = trimUnescapedSpaces(isNegated ? line.slice(1) : line);
    const pattern = parsePathPattern(text, { folds: false });
    return pattern === null ? [] : [{ text, pattern, isNegated }];
  });
}
