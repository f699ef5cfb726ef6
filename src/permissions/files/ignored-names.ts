/** What `.gitignore` and similar files say of the entries of a folder and below, for programs that leave out what these name. */
import { readIgnoreLines, type IgnoreLine } from "../../lib/ignore-lines.ts";
import { basename, dirname } from "node:path";
import { anyFolderNameTest, fixedFirstName, matchesNames } from "../../lib/path-pattern.ts";

/** Patterns that programs read differently: braces, sets with more than letters, `.` and `..` among the names. */
export const unclearGlob = /\/\/|(?:^|\/)\.{1,2}(?:\/|$)|\[[^\]]*[[\\/]|[{}]|\s$/u;

interface ParsedIgnoreLine extends IgnoreLine {
  /** If true, programs may read the pattern differently, and it is taken to match whatever leads to more files. */
  isUnclear: boolean;
  /** A test for patterns that match a name in any folder. */
  isNamed: ((name: string) => boolean) | undefined;
  /** The first of the names that the pattern consists of. */
  firstName: string | undefined;
}

/** The lines of one folder's files, grouped by file, last line first. */
export interface IgnoreLevel {
  /** The depth below the place that is gone through. */
  depth: number;
  /** The names from this folder down to the place, if the folder is above it. */
  down: readonly string[];
  files: readonly { name: string; lines: readonly ParsedIgnoreLine[] }[];
}

/** Undefined if none of the folder's entries is such a file. */
export function ignoreLevel(
  folder: string,
  entries: readonly { name: string }[],
  ignoreFiles: readonly string[],
  depth: number,
): IgnoreLevel | undefined {
  const there = ignoreFiles.filter((file) => entries.some(({ name }) => name === file.split("/", 1)[0]));
  if (there.length === 0) return undefined;
  return {
    depth,
    down: [],
    files: ignoreFiles.map((name) => ({
      name,
      lines: there.includes(name) ? readIgnoreFile(`${folder}/${name}`) : [],
    })),
  };
}

/** What files in the folders above a place say to keep. What they leave out is gone through anyway, because the place is named. */
export function parentIgnoreLevels(place: string, ignoreFiles: readonly string[]): IgnoreLevel[] {
  const levels: IgnoreLevel[] = [];
  let down: readonly string[] = [];
  for (let folder = place; folder !== dirname(folder);) {
    down = [basename(folder), ...down];
    folder = dirname(folder);
    const files = ignoreFiles.map((name) => onlyNegatedLines({ name, lines: readIgnoreFile(`${folder}/${name}`) }));
    if (files.some(({ lines }) => lines.length > 0)) levels.unshift({ depth: 0, down, files });
  }
  return levels;
}

/** The files by which git, and programs that follow git, leave out others. */
export const gitIgnoreFiles = [".gitignore", ".git/info/exclude"];

/** Outside a repository, and in another one below, a `.gitignore` leaves out nothing. */
export function withoutGitIgnores(level: IgnoreLevel): IgnoreLevel {
  return {
    ...level,
    files: level.files.map((file) => (gitIgnoreFiles.includes(file.name) ? onlyNegatedLines(file) : file)),
  };
}

function onlyNegatedLines({ name, lines }: IgnoreLevel["files"][number]): IgnoreLevel["files"][number] {
  return { name, lines: lines.filter(({ isNegated }) => isNegated) };
}

function readIgnoreFile(path: string): ParsedIgnoreLine[] {
  const lines = readIgnoreLines(path).map((line) => {
    const { pattern, text } = line;
    return {
      ...line,
      isUnclear: unclearGlob.test(text),
      isNamed: anyFolderNameTest(pattern),
      firstName: fixedFirstName(pattern),
    };
  });
  return lines.toReversed();
}

/** Whether the files ignore an entry of a folder that is not ignored. What one file keeps is kept. `above`: the folder's names. */
export function ignoreState(
  levels: readonly IgnoreLevel[],
  above: readonly string[],
  name: string,
  isFolder: boolean,
): "ignored" | "kept" | "open" {
  let found: "ignored" | "open" = "open";
  for (let file = 0; file < (levels[0]?.files.length ?? 0); file += 1) {
    const line = lastMatchingLine(levels, file, above, name, isFolder);
    if (line?.isNegated === true) return "kept";
    if (line !== undefined) found = "ignored";
  }
  return found;
}

function lastMatchingLine(
  levels: readonly IgnoreLevel[],
  file: number,
  above: readonly string[],
  name: string,
  isFolder: boolean,
): ParsedIgnoreLine | undefined {
  for (let at = levels.length - 1; at >= 0; at -= 1) {
    const level = levels[at];
    if (level === undefined) continue;
    const lines = level.files[file]?.lines ?? [];
    for (const line of lines) if (lineMatches(line, above, name, level, isFolder)) return line;
  }
  return undefined;
}

function lineMatches(
  { pattern, isNegated, isUnclear, isNamed, firstName }: ParsedIgnoreLine,
  above: readonly string[],
  name: string,
  { depth, down }: IgnoreLevel,
  isFolder: boolean,
): boolean {
  if (isUnclear) return isNegated;
  if (pattern.foldersOnly && !isFolder) return false;
  if (isNamed !== undefined) return isNamed(name);
  if (firstName !== undefined && firstName !== (down[0] ?? above[depth] ?? name)) return false;
  return matchesNames(pattern, [...down, ...above.slice(depth), name], isFolder);
}
