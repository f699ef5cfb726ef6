/** Folders that a work tree has in common with the tree it was made from, such as `node_modules`: links, where it has none of its own. */
import { lstatSync, realpathSync, symlinkSync } from "node:fs";
import { basename, dirname, join, normalize, sep } from "node:path";
import { findProject, findRepository } from "../../knowledge/git-folder.ts";
import { isFolder, realPathOf } from "../../lib/disk-look.ts";
import { errorText } from "../../lib/error-text.ts";
import { isWithin } from "../../lib/is-within.ts";
import type { Worktree } from "./marker.ts";

/** Those that a work tree may come to share, from its top. `names`: as settings have them. */
export function shareable(names: readonly string[]): string[] {
  return names.flatMap((name) => wayOf(name) ?? []);
}

/** `names`: as settings have them, from the top of the repository. Answers those that are links now; what cannot be one is told. */
export function shareFolders(
  { path, top }: Pick<Worktree, "path" | "top">,
  names: readonly string[],
  notice: (text: string) => void,
): string[] {
  return names.flatMap((name) => {
    const way = wayOf(name);
    const passedOver = (why: string): [] => {
      notice(`worktree.symlinkDirectories: ${JSON.stringify(name.slice(0, 80))} is passed over: ${why}.`);
      return [];
    };
    if (way === undefined) return passedOver("it is no folder below the top of the repository");
    const place = join(path, way);
    const parent = realPathOf(dirname(place));
    // What was never made, or is part of the commit, is not shared.
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

/** The project's own folders that links of the tree around `cwd` lead to: they may be read from there. None where it is no such tree. */
export function sharedWith(cwd: string, names: readonly string[]): string[] {
  const top = names.length === 0 ? undefined : findRepository(cwd);
  const project = top === undefined ? undefined : findProject(top);
  if (top === undefined || project === undefined || project === top) return [];
  return names.flatMap((name) => {
    const way = wayOf(name);
    if (way === undefined || !isLink(join(top, way))) return [];
    const own = realPathOf(join(project, way));
    return own === undefined || realPathOf(join(top, way)) !== own ? [] : [own];
  });
}

/** From the top of the repository; undefined where it is nothing below it. */
function wayOf(name: string): string | undefined {
  const way = normalize(name).replace(/\/+$/u, "");
  const parts = way.split(sep);
  return way.startsWith(sep) || way === "." || parts.includes("..") || parts.includes(".git") ? undefined : way;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** For git, so that they count for no change: whether `.gitignore` names them or not. What has taken a link's place counts. */
export function withoutShared({ path, shared = [] }: Pick<Worktree, "path" | "shared">): string[] {
  const links = shared.filter((way) => isLink(join(path, way)));
  return links.length === 0 ? [] : ["--", ".", ...links.map((way) => `:(exclude,top,literal)${way}`)];
}
