/** What lies below a folder, as far as a program that goes through all of it comes by it. */
import { foldCase, matchesPath, parsePathPattern } from "../../lib/path-pattern.ts";
import { hasHole } from "../shell/fill.ts";

export interface Tree {
  access: "read" | "write";
  /** As it is written there. */
  place: string;
  /** Whether it enters a folder, or a link to one, by its name and the folder in which it lies below the place. */
  enters: (name: string, above: readonly string[], isLink: boolean) => boolean;
  /** Whether it comes by a file, by its name and its folder below the place. */
  meets: (name: string, above: readonly string[]) => boolean;
  /** Links that it follows. */
  follows: "none" | "files" | "all";
  /** The same folder counts by the names that led to it: the name of a link may be meant, or left out, where its own is not. */
  isByPath?: boolean;
  /** How many folders deep. */
  depth: number;
  skips?: Skips;
  /** Folders of packages that others wrote are not entered. */
  skipsPackages?: true;
  /** What is below the place is written below this instead. */
  onto?: string;
  /** What it is called there, where that is a folder. */
  called?: string;
  /** There will be that folder in any case. */
  isMade?: boolean;
  /** Of a repository: what git knows of, or what it does not. */
  git?: "tracked" | "untracked";
  /** Whoever is given the names takes those apart that have one of these in them. */
  apart?: RegExp;
  /** Common in a day's work, so that where nobody is asked it is not refused. */
  isCommon?: true;
}

/** It leaves out what files called so say, as `.gitignore`, and where they do not keep them, hidden files. */
export interface Skips {
  by: readonly string[];
  hidden: boolean;
  /** What it goes through all the same. */
  opens?: (name: string, above: readonly string[], isFolder: boolean) => boolean;
}

/** For what may be said otherwise before it is gone through. */
export function withoutSkips(tree: Tree): Tree {
  return tree.skips === undefined ? tree : { ...tree, skips: { ...tree.skips, by: [], hidden: false } };
}

const ignoring = new Set([".gitignore", ".ignore", ".rgignore", ".fdignore"]);

/** Whether a file of this name says what is left out. */
export function isIgnoring(path: string): boolean {
  return ignoring.has(foldCase(path.slice(path.lastIndexOf("/") + 1)));
}

const all = (): boolean => true;

export function treeAt(place: string, given: Partial<Tree> = {}): Tree {
  return { access: "read", place, enters: all, meets: all, follows: "none", depth: Number.POSITIVE_INFINITY, ...given };
}

/** Blanks at the end are no part of what is ignored by git, but to programs they are. */
const unclear = /\/|\s$/u;

/** Whether a name is one that the pattern means; undefined where that cannot be told by the name, or only the shell knows the pattern. */
export function namedBy(pattern: string): ((name: string) => boolean) | undefined {
  if (unclear.test(pattern) || hasHole(pattern)) return undefined;
  const parsed = parsePathPattern(pattern, { folds: false });
  return parsed === null ? undefined : (name) => matchesPath(parsed, name, true);
}

/** What these patterns name is left out. `ofFolders`: where other ones mean folders. */
export function leaving(patterns: readonly string[], ofFolders = patterns): Pick<Tree, "enters" | "meets"> {
  const kept = (all: readonly string[]): ((name: string) => boolean) => {
    const tests = all.flatMap((pattern) => namedBy(pattern) ?? []);
    return (name) => !tests.some((test) => test(name));
  };
  return { enters: kept(ofFolders), meets: kept(patterns) };
}

/** `isWanted`: of patterns in their order, the last that means the name counts. `isOther`: whether what none means is wanted. */
export function lastOf(
  patterns: readonly { isWanted: boolean; pattern: string }[],
  isOther: boolean,
): (name: string) => boolean {
  const tests = patterns.flatMap(({ isWanted, pattern }) => {
    const test = namedBy(pattern);
    if (test !== undefined) return [{ isWanted, test }];
    return isWanted ? [{ isWanted, test: all }] : [];
  });
  return (name) => tests.findLast(({ test }) => test(name))?.isWanted ?? isOther;
}
