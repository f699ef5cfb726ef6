/** Walks the files that a program would reach below a folder, up to the first one somebody is looking for. Bounded. */
import type { Dirent } from "node:fs";
import { realPathOf, statusOf } from "../../lib/path-status.ts";
import { repositoryAt } from "../git/git-tracked.ts";
import { ignoreState, ignoreLevel, parentIgnoreLevels, withoutGitIgnores, type IgnoreLevel } from "./ignored-names.ts";
import { entriesIn, type PathReader } from "../paths/path-forms.ts";
import type { Skips, Tree } from "./tree.ts";

/** This many entries (a project with its packages) take a fifth of a second to list; the programs themselves take longer. */
export const maxWalked = 150_000;

export interface ReachedFolder {
  /** The real path, whatever links led there. */
  path: string;
  /** The names below the place. */
  names: readonly string[];
  /** The folder is among packages that others wrote. */
  isThirdParty: boolean;
}

/** Called with a folder, and then with each file the program reaches there; `real`: a link's target. A result ends the walk. */
export type FolderVisitor<T> = (folder: ReachedFolder) => (name: string, real?: string) => T | undefined;

const packageFolders = new Set(["node_modules", "site-packages"]);

/** Whether a file is among such packages. */
export const isInPackage = (path: string): boolean => path.split("/").some((name) => packageFolders.has(name));

interface OpenFolder extends ReachedFolder {
  levels: readonly IgnoreLevel[];
  isInGit: boolean;
}

/** Visits the nearest files first, and packages last. `place` is a real path. */
export function findFirstReached<T>(
  tree: Tree,
  place: string,
  visitor: FolderVisitor<T>,
  reader: PathReader,
  budget: { left: number },
): T | "too many" | undefined {
  // A line may name many places that do not exist, and each may have ignore files in all folders above.
  if (entriesIn(place || "/", reader).length === 0) return undefined;
  const visited = new Set([place]);
  const postponed: OpenFolder[] = [];
  const levels = tree.skips === undefined ? [] : parentIgnoreLevels(place, tree.skips.ignoreFiles);
  const isInGit = tree.skips !== undefined && repositoryAt(place) !== undefined;
  let open: OpenFolder[] = [{ path: place, names: [], isThirdParty: false, levels, isInGit }];
  while (open.length > 0) {
    const next: OpenFolder[] = [];
    for (const folder of open) {
      const entries = entriesIn(folder.path || "/", reader);
      budget.left -= entries.length;
      if (budget.left < 0) return "too many";
      const found = visitFolder(tree, folder, entries, visitor(folder));
      if (found.result !== undefined) return found.result;
      for (const below of found.folders) {
        const key = tree.isByPath === true ? `${below.path}/${below.names.at(-1)}` : below.path;
        if (below.isLink && visited.has(key)) continue;
        if (below.isLink || tree.isByPath !== true) visited.add(key);
        if (!below.isThirdParty) next.push(below);
        else if (tree.skipsPackages !== true) (folder.isThirdParty ? next : postponed).push(below);
      }
    }
    open = next.length > 0 ? next : postponed.splice(0);
  }
  return undefined;
}

function visitFolder<T>(
  tree: Tree,
  folder: OpenFolder,
  entries: readonly Dirent[],
  look: (name: string, real?: string) => T | undefined,
): { result?: T; folders: (OpenFolder & { isLink: boolean })[] } {
  const isTop = tree.skips !== undefined && entries.some(({ name }) => name === ".git");
  const isInGit = folder.isInGit || isTop;
  const above = isTop ? folder.levels.map(withoutGitIgnores) : folder.levels;
  const level = tree.skips && ignoreLevel(folder.path, entries, tree.skips.ignoreFiles, folder.names.length);
  const levels = level === undefined ? above : [...above, isInGit ? level : withoutGitIgnores(level)];
  const folders: (OpenFolder & { isLink: boolean })[] = [];
  for (const entry of entries) {
    const { name } = entry;
    const link = entry.isSymbolicLink() ? followLink(`${folder.path}/${name}`, tree) : undefined;
    if (link === "none") continue;
    const isFolder = link?.isFolder ?? entry.isDirectory();
    const isLeftOut = (): boolean =>
      tree.skips !== undefined && isSkipped(tree.skips, levels, folder.names, name, isFolder);
    if (!isFolder) {
      // Checked first, since the ignore files may have thousands of patterns, but few names are wanted.
      const met = look(name, link?.real);
      if (met !== undefined && !isLeftOut() && tree.reaches(name, folder.names)) return { result: met, folders };
      continue;
    }
    if (name === ".git" || folder.names.length + 1 >= tree.depth || isLeftOut()) continue;
    if (!tree.enters(name, folder.names, link !== undefined)) continue;
    const path = link?.real ?? `${folder.path}/${name}`;
    const isThirdParty = folder.isThirdParty || packageFolders.has(name);
    folders.push({
      path,
      names: [...folder.names, name],
      isThirdParty,
      levels,
      isInGit,
      isLink: link !== undefined,
    });
  }
  return { folders };
}

/** `none`: the link is not followed, or leads nowhere. */
function followLink(path: string, { follows }: Tree): { isFolder: boolean; real: string } | "none" {
  const real = follows === "none" ? undefined : realPathOf(path);
  if (real === undefined) return "none";
  const isFolder = statusOf(real)?.isDirectory() === true;
  return isFolder && follows === "files" ? "none" : { isFolder, real };
}

function isSkipped(
  { hidden, neverSkips }: Skips,
  levels: readonly IgnoreLevel[],
  above: readonly string[],
  name: string,
  isFolder: boolean,
): boolean {
  if (neverSkips?.(name, above, isFolder) === true) return false;
  const state = levels.length === 0 ? "open" : ignoreState(levels, above, name, isFolder);
  if (state === "ignored") return true;
  return state === "open" && hidden && name.startsWith(".");
}
