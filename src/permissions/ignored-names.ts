/** What `.gitignore` and its kin say of the entries of one folder and what lies below, for programs that leave out what these name. */
import { anywhereNamed, firstName, matchesNames, parsePathPattern, type PathPattern } from "../lib/path-pattern.ts";
import { readRegularFile } from "../lib/regular-file.ts";

const maxBytes = 256 * 1024;
/** What one keeps, it keeps, whatever another says. */
const files = [".gitignore", ".ignore", ".rgignore"];

interface Line {
  pattern: PathPattern;
  isKept: boolean;
  /** Of a name in any folder. */
  isNamed: ((name: string) => boolean) | undefined;
  /** The first of the names that it means. */
  first: string | undefined;
}

/** The lines of one folder's files, by file, the last one first. */
export interface IgnoreLevel {
  /** Below the place that is gone through. */
  depth: number;
  lines: readonly (readonly Line[])[];
}

/** Undefined where none of the folder's entries is such a file. */
export function ignoreLevel(
  folder: string,
  entries: readonly { name: string }[],
  depth: number,
): IgnoreLevel | undefined {
  const there = files.filter((file) => entries.some(({ name }) => name === file));
  if (there.length === 0) return undefined;
  const lines = files.map((name) => {
    const read = there.includes(name) ? readRegularFile(`${folder}/${name}`, maxBytes) : undefined;
    return read?.ok === true ? linesOf(read.text) : [];
  });
  return { depth, lines };
}

function linesOf(text: string): Line[] {
  const lines = text.split(/\r?\n/u).flatMap((line): Line[] => {
    const isKept = line.startsWith("!");
    const pattern = parsePathPattern(isKept ? line.slice(1) : line, { folds: false });
    return pattern === null ? [] : [{ pattern, isKept, isNamed: anywhereNamed(pattern), first: firstName(pattern) }];
  });
  return lines.toReversed();
}

/** Of an entry of a folder that is not ignored. `above`: its folder, below the place. */
export function ignoredBy(
  levels: readonly IgnoreLevel[],
  above: readonly string[],
  name: string,
  isFolder: boolean,
): "ignored" | "kept" | "open" {
  let found: "ignored" | "open" = "open";
  for (let file = 0; file < files.length; file += 1) {
    const line = lastLine(levels, file, above, name, isFolder);
    if (line?.isKept === true) return "kept";
    if (line !== undefined) found = "ignored";
  }
  return found;
}

function lastLine(
  levels: readonly IgnoreLevel[],
  file: number,
  above: readonly string[],
  name: string,
  isFolder: boolean,
): Line | undefined {
  for (let at = levels.length - 1; at >= 0; at -= 1) {
    const level = levels[at];
    const lines = level?.lines[file] ?? [];
    for (const line of lines) if (means(line, above, name, level?.depth ?? 0, isFolder)) return line;
  }
  return undefined;
}

function means(
  { pattern, isNamed, first }: Line,
  above: readonly string[],
  name: string,
  depth: number,
  isFolder: boolean,
): boolean {
  if (pattern.foldersOnly && !isFolder) return false;
  if (isNamed !== undefined) return isNamed(name);
  if (first !== undefined && first !== (above[depth] ?? name)) return false;
  return matchesNames(pattern, [...above.slice(depth), name], isFolder);
}
