/** What is below a folder, as far as a program that goes through all of it reaches it. */
import { foldCase, matchesPath, parsePathPattern } from "../../lib/path-pattern.ts";
import { hasHole } from "../shell/fill.ts";

export interface Tree {
  access: "read" | "write";
  /** The place as written. */
  place: string;
  /** Whether it enters a folder, or a link to one, given its name and the folders above it below the place. */
  enters: (name: string, above: readonly string[], isLink: boolean) => boolean;
  /** Whether it reaches a file, given its name and the folders above it below the place. */
  reaches: (name: string, above: readonly string[]) => boolean;
  /** The links that it follows. */
  follows: "none" | "files" | "all";
  /** Tells apart the names that led to a folder: a link's name may match, or be excluded, when the folder's own does not. */
  isByPath?: boolean;
  /** The maximum depth, in folders. */
  depth: number;
  skips?: Skips;
  /** Does not enter folders of packages that others wrote. */
  skipsPackages?: true;
  /** What is below the place is written below this path instead. */
  destination?: string;
  /** The name of the copy, if `destination` is a folder. */
  copyName?: string;
  /** `destination` will certainly be a folder. */
  isMade?: boolean;
  /** In a repository: only what git tracks, or only what it does not. */
  git?: "tracked" | "untracked";
  /** The program that gets the names splits them at these characters. */
  delimiter?: RegExp;
  /** Common in daily work, so it is not refused where nobody can be asked. */
  isCommon?: true;
}

/** Leaves out what files with these names, such as `.gitignore`, say, and hidden files unless they keep them. */
export interface Skips {
  ignoreFiles: readonly string[];
  hidden: boolean;
  /** Entries that it goes through anyway. */
  neverSkips?: (name: string, above: readonly string[], isFolder: boolean) => boolean;
}

/** Removes the exclusions, for files that may change before they are read. */
export function withoutSkips(tree: Tree): Tree {
  return tree.skips === undefined ? tree : { ...tree, skips: { ...tree.skips, ignoreFiles: [], hidden: false } };
}

const ignoreFileNames = new Set([".gitignore", ".ignore", ".rgignore", ".fdignore"]);

/** Whether a file of this name defines what is left out. */
export function isIgnoreFile(path: string): boolean {
  return ignoreFileNames.has(foldCase(path.slice(path.lastIndexOf("/") + 1)));
}

const always = (): boolean => true;

export function treeAt(place: string, properties: Partial<Tree> = {}): Tree {
  return {
    access: "read",
    place,
    enters: always,
    reaches: always,
    follows: "none",
    depth: Number.POSITIVE_INFINITY,
    ...properties,
  };
}

/** Whether both reach the same files below the same place. */
export function isSameTree(one: Tree, other: Tree): boolean {
  const fields = new Set([...Object.keys(one), ...Object.keys(other)]) as ReadonlySet<keyof Tree>;
  return [...fields].every((field) => Object.is(one[field], other[field]));
}

/** The maximum depth that an option's value gives; without a number, there is none. */
export function parseDepth(value = ""): number {
  return /^\d+$/u.test(value) ? Number(value) : Number.POSITIVE_INFINITY;
}

/** Trailing blanks are not part of git's ignore patterns, but are to programs. */
const unclearPattern = /\/|\s$/u;

/** Returns a test for names that match the pattern; undefined if that depends on more than the name, or on the shell. */
export function createNameTest(pattern: string): ((name: string) => boolean) | undefined {
  if (unclearPattern.test(pattern) || hasHole(pattern)) return undefined;
  const parsed = parsePathPattern(pattern, { folds: false });
  return parsed === null ? undefined : (name) => matchesPath(parsed, name, true);
}

/** Leaves out what the patterns name. `ofFolders`: the patterns for folders, if different. */
export function exclusionsByName(patterns: readonly string[], ofFolders = patterns): Pick<Tree, "enters" | "reaches"> {
  const keepTest = (all: readonly string[]): ((name: string) => boolean) => {
    const tests = all.flatMap((pattern) => createNameTest(pattern) ?? []);
    return (name) => !tests.some((test) => test(name));
  };
  return { enters: keepTest(ofFolders), reaches: keepTest(patterns) };
}

/** Of the patterns in order, the last one that matches decides by `isWanted`. `isOther`: whether an unmatched name is wanted. */
export function createLastMatchTest(
  patterns: readonly { isWanted: boolean; pattern: string }[],
  isOther: boolean,
): (name: string) => boolean {
  const tests = patterns.flatMap(({ isWanted, pattern }) => {
    const test = createNameTest(pattern);
    if (test !== undefined) return [{ isWanted, test }];
    return isWanted ? [{ isWanted, test: always }] : [];
  });
  return (name) => tests.findLast(({ test }) => test(name))?.isWanted ?? isOther;
}
