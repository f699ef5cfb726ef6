/** Finds what a command created under a name that makes other programs run something, and renames it. */
import { randomUUID } from "node:crypto";
import { lstatSync, readlinkSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { entriesOf, pathExists } from "../../lib/path-status.ts";
import { gitDoubt } from "../git/git-look.ts";
import { isGuardedEntry } from "./guarded-places.ts";

/** The guarded names of a working directory, each with what tells whether it is unchanged. */
export type GuardedNames = ReadonlyMap<string, string>;

export function guardedNames(folder: string, closed: readonly string[]): GuardedNames {
  const names = entriesOf(folder)
    .filter((entry) => isGuardedEntry(folder, { name: entry.name, isFolder: entry.isDirectory() }))
    .map(({ name }) => join(folder, name));
  const own = [".git", ".git/commondir", "HEAD"].map((name) => join(folder, name));
  return new Map(
    [...names, ...own.filter(pathExists), ...closed.filter(pathExists)].map((path) => [path, entryState(path)]),
  );
}

const linkMark = "link ";

function entryState(path: string): string {
  try {
    return lstatSync(path).isSymbolicLink() ? linkMark + readlinkSync(path) : "there";
  } catch {
    return "gone";
  }
}

/**
 * Guarded names that are new since `before`, or whose link leads elsewhere. Everything else that existed is protected by its own mount, so
 * that only somebody outside can have changed it.
 */
export function findNewcomers(folder: string, before: GuardedNames, closed: readonly string[]): string[] {
  const now = guardedNames(folder, closed);
  return [...now.keys()].filter((path) => {
    const known = before.get(path);
    const isNew = known === undefined || (known.startsWith(linkMark) && known !== now.get(path));
    return isNew && !isHarmless(path, folder);
  });
}

/** Whether a newcomer is harmless: a new repository in which git runs nothing, or a file called HEAD without a repository around it. */
function isHarmless(path: string, folder: string): boolean {
  const isRepository =
    path === join(folder, ".git") && lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (path === join(folder, "HEAD")) return !["objects", "refs"].every((name) => pathExists(join(folder, name)));
  if (!isRepository) return false;
  const hooks = entriesOf(join(path, "hooks")).filter(({ name }) => !name.endsWith(".sample"));
  return hooks.length === 0 && gitDoubt(folder, "all") === undefined;
}

/** Renames the path to `….refused` beside it, so that nothing is lost, and restores the link that had the name before. */
export function moveAside(path: string, before: GuardedNames): void {
  const known = before.get(path);
  renameSync(path, unusedAsidePath(path));
  if (known?.startsWith(linkMark) === true) symlinkSync(known.slice(linkMark.length), path);
}

function unusedAsidePath(path: string): string {
  for (let number = 0; number < 100; number += 1) {
    const aside = `${path}.refused${number === 0 ? "" : `-${number}`}`;
    if (!pathExists(aside)) return aside;
  }
  // A command may take all of these names, so that what it made would keep its own.
  return `${path}.refused-${randomUUID()}`;
}
