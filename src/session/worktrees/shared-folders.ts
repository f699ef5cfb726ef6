/** Folders that a work tree shares with the tree it was made from, such as `node_modules`: links, if the tree has no such folder itself. */
import { lstatSync, realpathSync, symlinkSync } from "node:fs";
import { basename, dirname, join, normalize, sep } from "node:path";
import { findProject } from "../../knowledge/git-folder.ts";
import { findRepository } from "../../lib/git-repository.ts";
import { isFolder, isLink, realPathOf } from "../../lib/path-status.ts";
import { errorText } from "../../lib/error-text.ts";
import { isWithin } from "../../lib/is-within.ts";
import type { Worktree } from "./marker.ts";

/** Returns the folders that a work tree may share, relative to its top. `names`: as in the settings. */
export function shareableFolders(names: readonly string[]): string[] {
  return names.flatMap((name) => pathBelowTop(name) ?? []);
}

/** `names`: as in the settings, relative to the top. Returns those that are links now; a name that cannot be one causes a notice. */
export function shareFolders(
  { path, top }: Pick<Worktree, "path" | "top">,
  names: readonly string[],
  notice: (text: string) => void,
): string[] {
  return names.flatMap((name) => {
    const way = pathBelowTop(name);
    const passedOver = (why: string): [] => {
      notice(`worktree.symlinkDirectories: ${JSON.stringify(name.slice(0, 80))} is ignored: ${why}.`);
      return [];
    };
    if (way === undefined) return passedOver("it is not a folder below the top of the repository");
    const place = join(path, way);
    const parent = realPathOf(dirname(place));
    // A folder that does not exist in the original, or is part of the commit, is not shared.
    if (parent === undefined || !isFolder(join(top, way)) || lstatSync(place, { throwIfNoEntry: false }) !== undefined)
      return [];
    if (!isWithin(parent, path)) return passedOver("a link leads out of the work tree");
    try {
      symlinkSync(realpathSync(join(top, way)), join(parent, basename(place)));
    } catch (error) {
      return passedOver(errorText(error));
    }
    return [way];
  });
}

/** Returns the project's folders to which links in the work tree around `cwd` lead: they may be read. Empty outside such a tree. */
export function sharedProjectFolders(cwd: string, names: readonly string[]): string[] {
  const top = names.length === 0 ? undefined : findRepository(cwd);
  const project = top === undefined ? undefined : findProject(top);
  if (top === undefined || project === undefined || project === top) return [];
  return names.flatMap((name) => {
    const way = pathBelowTop(name);
    if (way === undefined || !isLink(join(top, way))) return [];
    const own = realPathOf(join(project, way));
    return own === undefined || realPathOf(join(top, way)) !== own ? [] : [own];
  });
}

/** Returns the path relative to the repository's top; undefined if it is not below it. */
function pathBelowTop(name: string): string | undefined {
  const way = normalize(name).replace(/\/+$/u, "");
  const parts = way.split(sep);
  return way.startsWith(sep) || way === "." || parts.includes("..") || parts.includes(".git") ? undefined : way;
}

/** Returns git arguments that exclude the links from changes, whatever `.gitignore` says. What replaced a link is not excluded. */
export function excludeSharedArgs({ path, shared = [] }: Pick<Worktree, "path" | "shared">): string[] {
  const links = shared.filter((way) => isLink(join(path, way)));
  return links.length === 0 ? [] : ["--", ".", ...links.map((way) => `:(exclude,top,literal)${way}`)];
}
