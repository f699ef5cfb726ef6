/** Facts about a repository, read from its files. Runs nothing and never blocks: what it reads may be a pipe. */
import { lstatSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Environment } from "../lib/environment.ts";
import { foldersUpTo } from "../lib/folders-above.ts";
import { realPathOf, statusOf } from "../lib/path-status.ts";
import {
  commonGitFolder,
  findRepository,
  isGitFolder,
  isOwnRepository,
  gitFolderFromFile,
  looksLikeBareRepository,
} from "../lib/git-repository.ts";
import { readGitConfig, type GitSetting } from "../lib/git-config.ts";
import { readRegularFile } from "../lib/regular-file.ts";

const maxBytes = 64 * 1024;

/** Returns the nearest `.git` upward: the folder, or the folder that a `.git` file names. Undefined outside a repository. */
export function findGitFolder(cwd: string): string | undefined {
  const top = findRepository(cwd);
  return top === undefined ? undefined : gitFolderAt(join(top, ".git"));
}

/**
 * Returns the folder that identifies a project: its repository, the same for all worktrees; `cwd` if there is none. A worktree counts as
 * part of a repository only if the repository lists it, because its `.git` file could name anybody's repository.
 */
export function findProject(cwd: string): string {
  const top = findRepository(cwd);
  if (top === undefined) return cwd;
  const own = join(top, ".git");
  const folder = kindOf(own) === "file" ? gitFolderAt(own) : undefined;
  if (folder === undefined) return top;
  const [common, back] = ["commondir", "gitdir"].map((name) => lineIn(join(folder, name)));
  if (common === undefined || back === undefined || resolve(folder, back) !== own) return top;
  return dirname(resolve(folder, common));
}

function lineIn(path: string): string | undefined {
  const read = readRegularFile(path, maxBytes);
  return read.ok ? read.text.trim() : undefined;
}

function isThere(path: string): boolean {
  return kindOf(path) !== undefined;
}

function kindOf(path: string): "folder" | "file" | undefined {
  const found = statusOf(path);
  return found === undefined ? undefined : found.isDirectory() ? "folder" : "file";
}

function gitFolderAt(path: string): string | undefined {
  if (kindOf(path) === "folder") return path;
  const read = readRegularFile(path, maxBytes);
  const target = read.ok ? /^gitdir: (.+)$/m.exec(read.text)?.[1] : undefined;
  return target === undefined ? undefined : resolve(dirname(path), target.trim());
}

/** Returns the checked-out branch, read from `HEAD`; undefined if no branch is checked out, or outside a repository. */
export function readBranch(cwd: string): string | undefined {
  const folder = findGitFolder(cwd);
  if (folder === undefined) return undefined;
  const head = readRegularFile(join(folder, "HEAD"), maxBytes);
  return head.ok ? /^ref: refs\/heads\/(.+)$/m.exec(head.text)?.[1] : undefined;
}

/** Files that mark an operation. Each command may also pick or merge commits, so the first match is the command the user began. */
const operations = [
  ["rebase-merge", "rebase"],
  ["rebase-apply/applying", "am"],
  ["rebase-apply", "rebase"],
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["BISECT_LOG", "bisect"],
] as const;

/** Returns the git command that was begun and waits to be continued. */
export function readOperation(cwd: string): string | undefined {
  const folder = findGitFolder(cwd);
  if (folder === undefined) return undefined;
  return operations.find(([mark]) => isThere(join(folder, mark)))?.[1] ?? sequencerCommand(folder);
}

/** Returns the command for a sequence of several commits that has stopped between two of them. */
function sequencerCommand(folder: string): string | undefined {
  const [, verb] = /^(pick|revert) /u.exec(lineIn(join(folder, "sequencer/todo")) ?? "") ?? [];
  return verb === "pick" ? "cherry-pick" : verb;
}

const maxPackedBytes = 1024 * 1024;

/** Returns the remote's default branch, or the first of the usual names that exists; null if none does, undefined if only git can tell. */
export function readMainBranch(cwd: string): string | null | undefined {
  const folder = findGitFolder(cwd);
  if (folder === undefined) return null;
  const common = resolve(folder, lineIn(join(folder, "commondir")) ?? ".");
  if (isThere(join(common, "reftable"))) return undefined;
  const read = isThere(join(common, "packed-refs"))
    ? readRegularFile(join(common, "packed-refs"), maxPackedBytes)
    : { ok: true as const, text: "" };
  if (!read.ok) return undefined;
  const has = (ref: string): boolean => isThere(join(common, ref)) || read.text.includes(` ${ref}\n`);
  const head = lineIn(join(common, "refs/remotes/origin/HEAD")) ?? "";
  const remote = /^ref: refs\/remotes\/origin\/(.+)$/u.exec(head)?.[1];
  if (remote !== undefined && has(`refs/remotes/origin/${remote}`)) return remote;
  return ["main", "master"].find((name) => has(`refs/heads/${name}`)) ?? null;
}

/**
 * Whether a folder from `cwd` up to `top` looks like a repository to git although it has no `.git`: a bare repository committed as plain
 * files, with its own configuration.
 */
export function hasEmbeddedRepository(cwd: string, top: string): boolean {
  return foldersUpTo(cwd, top).some(looksLikeBareRepository);
}

/** Whether the repository of `top` is another folder's. */
export function isOfOtherFolder(top: string): boolean {
  const own = kindOf(join(top, ".git")) === "folder" ? realPathOf(join(top, ".git")) : gitFolderFromFile(top);
  const common = own === undefined ? undefined : commonGitFolder(own);
  const place = realPathOf(top);
  // Git refuses what it cannot follow.
  if (own === undefined || common === undefined || place === undefined) return false;
  return !isOwnRepository(place, own, common);
}

/** The system configuration used by the git of Linux distributions. Other builds of git look elsewhere. */
const systemConfigs: Readonly<Record<string, string>> = {
  "/usr/bin/git": "/etc/gitconfig",
  "/bin/git": "/etc/gitconfig",
};

/**
 * Returns the names of all settings that apply in a repository, each followed by a NUL, as `git config --list --name-only -z` prints them,
 * in no particular order. Undefined if only git can tell: a configuration includes others, cannot be read, or is elsewhere.
 */
export function readSettingNames(cwd: string, program: string, env: Environment): string | undefined {
  const system = process.platform === "linux" ? systemConfigs[program] : undefined;
  // Git versions of 2021 and before do not know these variables.
  if (env["GIT_CONFIG_GLOBAL"] !== undefined || env["GIT_CONFIG_SYSTEM"] !== undefined) return undefined;
  const folder = verifiedGitFolder(cwd);
  const home = env["HOME"] ?? "";
  const xdg = env["XDG_CONFIG_HOME"] || `${home}/.config`;
  if (system === undefined || folder === undefined || !isAbsolute(home) || !isAbsolute(xdg)) return undefined;
  const common = commonGitFolder(folder);
  if (common === undefined) return undefined;
  const own = [...new Set([common, folder])].flatMap((each) => [join(each, "config"), join(each, "config.worktree")]);
  let names = "";
  for (const path of [system, join(xdg, "git/config"), join(home, ".gitconfig"), ...own]) {
    const settings = settingsOf(path);
    if (settings === undefined) return undefined;
    for (const { key } of settings) names += `${key}\0`;
  }
  return includeKeys.test(names) ? undefined : names;
}

/** Returns undefined if git might use a different folder. */
function verifiedGitFolder(cwd: string): string | undefined {
  const top = findRepository(cwd);
  if (top === undefined) return undefined;
  const folder = kindOf(join(top, ".git")) === "folder" ? join(top, ".git") : gitFolderFromFile(top);
  return folder !== undefined && isGitFolder(folder) ? folder : undefined;
}

const includeKeys = /(?:^|\0)(?:include|includeif\.[^\0]*)\.path\0/u;

/** Returns no settings if the file does not exist; undefined if it is not a regular file, or if git would stop reading it early. */
function settingsOf(path: string): readonly GitSetting[] | undefined {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return [];
  } catch {
    return undefined;
  }
  const read = readRegularFile(path, maxBytes);
  if (!read.ok) return undefined;
  const { settings, invalidLine } = readGitConfig(read.text);
  return invalidLine === undefined ? settings : undefined;
}
