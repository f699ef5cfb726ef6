/** What `.gitignore` and its kin say of the entries of one folder and what lies below, for programs that leave out what these name. */
import { ignoreLinesIn, type IgnoreLine } from "../../lib/ignore-lines.ts";
import { anywhereNamed, firstName, matchesNames } from "../../lib/path-pattern.ts";

/** What one keeps, it keeps, whatever another says. */
const files = [".gitignore", ".ignore", ".rgignore"];

interface Line extends IgnoreLine {
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
  const lines = files.map((name) => (there.includes(name) ? linesIn(`${folder}/${name}`) : []));
  return { depth, lines };
}

function linesIn(path: string): Line[] {
  const lines = ignoreLinesIn(path).map((line) => {
    const { pattern } = line;
    return { ...line, isNamed: anywhereNamed(pattern), first: firstName(pattern) };
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
    if (line?.isNegated === true) return "kept";
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
