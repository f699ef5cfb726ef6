/**
 * Decides whether git, run in a folder, would run something of the folder's own: its configuration can name programs even for commands that
 * only read. Reads the files itself and runs nothing.
 */
import { lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { entriesOf, isFolder, isKnownToExist } from "../../lib/path-status.ts";
import { readGitConfig } from "../../lib/git-config.ts";
import { gitlinkFolders } from "../../lib/git-index.ts";
import { commonGitFolder, isGitFolder, gitFolderFromFile, looksLikeBareRepository } from "../../lib/git-repository.ts";
import { readRegularFile } from "../../lib/regular-file.ts";
import { foreignDoubt, isElsewhere, isWithinRepository, namesOwnWorkTree, outwardLink } from "./git-foreign.ts";
import { runningKeys } from "./git-keys.ts";

const maxBytes = 64 * 1024;
const maxParents = 60;
const maxSubmodules = 200;

/**
 * Why git should not run there without a question, or undefined if it may. `folder` is absolute. Of hooks in the configuration, those
 * count that run while git reads, or with `all` every one.
 */
export function gitDoubt(folder: string, hooks: "looking" | "all" = "looking"): string | undefined {
  let place: string;
  try {
    // From a link, git goes up from its target.
    place = realpathSync.native(folder);
  } catch {
    return "it cannot be told in which folder it runs";
  }
  for (let step = 0; step < maxParents; step += 1) {
    if (looksLikeBareRepository(place))
      return `${place} looks like a repository without a working tree, whose settings git would follow`;
    const found = gitConfigFolders(place);
    if (found !== undefined) return repositoryDoubt(place, found, { left: maxSubmodules, hooks });
    const parent = dirname(place);
    if (parent === place) return undefined;
    place = parent;
  }
  return "its folder lies too deep to look for a repository";
}

/** Checks a repository and those that its index names: git reads these, too, each with its own configuration. */
function repositoryDoubt(
  place: string,
  repositories: string[] | "odd",
  bound: { left: number; hooks: "looking" | "all" },
): string | undefined {
  if (repositories === "odd") return `${join(place, ".git")} is not a plain repository folder`;
  const doubt = configDoubt(place, repositories, bound.hooks) ?? foreignDoubt(place, repositories);
  if (doubt !== undefined) return doubt;
  const [own = place, common = own] = repositories;
  const linked = gitlinkFolders(own, common);
  bound.left -= linked?.length ?? 0;
  if (linked === undefined || bound.left < 0) return `${place} holds more repositories than can be looked at`;
  for (const name of linked) {
    const below = join(place, name);
    if (isElsewhere(below, place)) return `${below}, a submodule, leads to another folder`;
    const inner = gitConfigFolders(below);
    const why = inner === undefined ? undefined : repositoryDoubt(below, inner, bound);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** The folders whose files configure the repository; `odd` if `.git` is neither a folder nor a work tree's pointer. */
function gitConfigFolders(place: string): string[] | "odd" | undefined {
  const path = join(place, ".git");
  let own: string | undefined;
  try {
    const status = lstatSync(path);
    own = status.isDirectory() ? path : status.isFile() ? gitFolderFromFile(place) : undefined;
  } catch {
    return undefined;
  }
  if (own === undefined) return "odd";
  const common = isGitFolder(own) ? commonGitFolder(own) : undefined;
  return common === undefined ? "odd" : [...new Set([own, common])];
}

function configDoubt(place: string, gitFolders: readonly string[], hooks: "looking" | "all"): string | undefined {
  const folders = [...gitFolders];
  const [own = "", common = own] = gitFolders;
  for (const folder of gitFolders) {
    const found = submoduleFolders(join(folder, "modules"));
    if (found === undefined) return `${join(folder, "modules")} holds more than can be looked at`;
    folders.push(...found);
  }
  for (const folder of folders) {
    for (const name of ["config", "config.worktree"]) {
      const path = join(folder, name);
      if (!isKnownToExist(path)) continue;
      const text = readSmallFile(path);
      if (text === undefined) return `${path} cannot be read`;
      const key = runningKey(text, hooks, {
        isOwnWorkTree: (value) => namesOwnWorkTree(folder, value, { place, own, common }),
        isOwnFile: (value) => isWithinRepository(value, place),
      });
      if (key !== undefined) return `${path} sets ${key}, with which git runs programs or reaches out`;
    }
    if (isKnownToExist(join(folder, "hooks", "post-index-change")))
      return `${join(folder, "hooks", "post-index-change")} would run`;
    const link = outwardLink(folder, [place, own, common]);
    if (link !== undefined) return link;
  }
  return undefined;
}

/** Git looks into submodules, each with its own configuration. Undefined if there are too many. */
function submoduleFolders(root: string): string[] | undefined {
  const found: string[] = [];
  const open = [root];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const name of foldersIn(folder)) {
      const path = join(folder, name);
      if (found.length + open.length >= maxSubmodules) return undefined;
      if (!isKnownToExist(join(path, "HEAD"))) open.push(path);
      else {
        found.push(path);
        if (isKnownToExist(join(path, "modules"))) open.push(join(path, "modules"));
      }
    }
  }
  return found;
}

function foldersIn(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory() || (entry.isSymbolicLink() && isFolder(join(folder, entry.name))))
    .map(({ name }) => name);
}

/** Whether a path that a setting names is the repository's own. */
interface OwnPaths {
  isOwnWorkTree: (value: string) => boolean;
  isOwnFile: (value: string) => boolean;
}

/** The first key that makes git run something. A line that cannot be parsed counts as such a key. */
export function runningKey(
  text: string,
  hooks: "looking" | "all" = "looking",
  { isOwnWorkTree, isOwnFile }: OwnPaths = { isOwnWorkTree: () => false, isOwnFile: () => false },
): string | undefined {
  const { settings, invalidLine } = readGitConfig(text);
  for (const { key, value } of settings) {
    const lower = key.toLowerCase();
    if (lower === "core.worktree" && value !== null && isOwnWorkTree(value)) continue;
    if (runningKeys.test(lower) && !isInactiveKey(lower, value, hooks)) return lower;
    // With this, git starts in submodule folders, even those that the index does not name.
    if (lower === "diff.submodule" && value === "diff") return lower;
    // If it is not a list of commits, git shows its first line.
    if (lower === "blame.ignorerevsfile" && !isOwnFile(value ?? "")) return lower;
  }
  return invalidLine === undefined ? undefined : `"${invalidLine.slice(0, 60)}"`;
}

function isInactiveKey(key: string, value: string | null, hooks: "looking" | "all"): boolean {
  if (key.startsWith("hook.")) return hooks === "looking" && !(key.endsWith(".event") && value === "post-index-change");
  return key === "core.fsmonitor" && value !== null && /^(?:false|0|no|off)?$/iu.test(value);
}

/** Undefined if there is no regular file of a plausible size. */
function readSmallFile(path: string): string | undefined {
  const read = readRegularFile(path, maxBytes);
  return read.ok ? read.text : undefined;
}
