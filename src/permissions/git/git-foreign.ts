/**
 * Whether a repository's files lead to files of another folder: as its `.git`, as the work tree or a file that its settings name, or by
 * links, which git follows and whose target's lines it shows, such as those of the index, a reference or the list of a rebase.
 */
import { realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { gitFolderFromFile, isOwnRepository } from "../../lib/git-repository.ts";
import { isWithin } from "../../lib/is-within.ts";
import { entriesOf, isKnownToExist } from "../../lib/path-status.ts";

const maxFolders = 5000;
/** Git shows no line of these, and people link them to places of their own. */
const sharedPattern = /^(?:hooks|lfs|annex|rr-cache|info\/exclude)$/u;
/** What is in them is found only by its content's hash. */
const looseObjectsPattern = /^objects\/[\da-f]{2}$/u;

/** `place` is the work tree, `own` its repository, `common` the folder with the settings; all are real paths. */
interface WorkTree {
  place: string;
  own: string;
  common: string;
}

/** Where a repository that is not this folder's own would show files of another folder. */
export function foreignDoubt(place: string, [own = "", common = own]: readonly string[]): string | undefined {
  return isOwnRepository(place, own, common)
    ? undefined
    : `${join(place, ".git")} leads to ${common}, a repository that does not name ${place} as its work tree`;
}

/**
 * Whether `core.worktree` in the settings of `folder` changes nothing. Git takes the files and submodules of the folder that the work tree's
 * own repository names. It ignores the key where `commondir` is used; and a submodule's folder is checked when its turn comes, and may be gone,
 * as in a commit without the submodule.
 */
export function namesOwnWorkTree(folder: string, value: string, { place, own, common }: WorkTree): boolean {
  const named = namedPath(folder, value);
  if (folder === own) return named === place;
  if (named !== undefined && gitFolderFromFile(named) === nativeRealPathOf(folder)) return true;
  if (folder === common) return named === place;
  return isWithinPlace(folder, value, place) || isWithinPlace(folder, value, dirname(common));
}

/** Whether a submodule's folder lies elsewhere: to list files, git goes there even by a link. */
export function isElsewhere(folder: string, place: string): boolean {
  const target = nativeRealPathOf(folder);
  return target !== undefined && !isWithin(target, place);
}

/** Whether a path of the settings, from the work tree's top, leads to nothing outside. */
export function isWithinRepository(path: string, place: string): boolean {
  return path === "" || (/^[\w.]/u.test(path) && isWithinPlace(place, path, place));
}

/**
 * Which link below a repository's folder leads out of `places`, if any: a clause for people. Some links and folders do not count, unless the
 * repository takes objects from another: then any link may be a reference to them.
 */
export function outwardLink(gitFolder: string, places: readonly string[]): string | undefined {
  const isBorrowing = isKnownToExist(join(gitFolder, "objects/info/alternates"));
  const open = [gitFolder];
  let left = maxFolders;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    left -= 1;
    if (left < 0) return `${gitFolder} holds more folders than can be looked at`;
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      const name = relative(gitFolder, path);
      if (!isBorrowing && (sharedPattern.test(name) || (entry.isDirectory() && looseObjectsPattern.test(name))))
        continue;
      if (entry.isDirectory() && !isSubmodule(path, name)) open.push(path);
      const target = entry.isSymbolicLink() ? nativeRealPathOf(path) : undefined;
      if (target !== undefined && !places.some((place) => isWithin(target, place)))
        return `${path} leads to ${target}, which belongs to another folder`;
    }
  }
  return undefined;
}

/** Submodules' repositories are looked at by themselves. */
function isSubmodule(path: string, name: string): boolean {
  return /^(?:worktrees\/[^/]+\/)?modules\//u.test(name) && isKnownToExist(join(path, "HEAD"));
}

/** The path is not shortened before links are followed: `..` after a link starts at its target. What is not there counts if its folder does. */
function isWithinPlace(folder: string, path: string, place: string): boolean {
  const named = namedPath(folder, path);
  if (named !== undefined) return isWithin(named, place);
  if (
    !isExact(path) ||
    path
      .replace(/^(?:\.\.\/)+/u, "")
      .split("/")
      .includes("..")
  )
    return false;
  let above = join(path.startsWith("/") ? "/" : (nativeRealPathOf(folder) ?? folder), path);
  while (!isKnownToExist(above)) above = dirname(above);
  const found = nativeRealPathOf(above);
  return found !== undefined && isWithin(found, place);
}

/** The real path that a file or a setting of `folder` names; undefined if nothing is there. */
function namedPath(folder: string, path: string): string | undefined {
  return isExact(path) ? nativeRealPathOf(path.startsWith("/") ? path : `${folder}/${path}`) : undefined;
}

/** Git reads bytes up to a zero byte, and versions differ in blanks. */
function isExact(path: string): boolean {
  return path !== "" && !/[\p{Cc}\ufffd]/u.test(path);
}

/** Undefined if there is nothing. Unlike `realPathOf`, it also follows a link whose name is not UTF-8, as git does. */
function nativeRealPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
