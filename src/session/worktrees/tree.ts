/** A work tree from its creation to its end: made by git, or by hooks instead of git. */
import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { findGitFolder } from "../../knowledge/git-folder.ts";
import { findRepository } from "../../lib/git-repository.ts";
import { otherWorktrees } from "../../knowledge/git-worktrees.ts";
import { isFolder } from "../../lib/path-status.ts";
import { errorText } from "../../lib/error-text.ts";
import { isWithin } from "../../lib/is-within.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { HookAnswer, HookEvent, HookInput } from "../../protocol/hook.ts";
import type { Machine } from "../surroundings/machine.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { keptText } from "./kept-text.ts";
import { writeMarker, removeMarker, type Worktree } from "./marker.ts";
import { shareableFolders, shareFolders } from "./shared-folders.ts";
import { addWorktree, findChanges, headCommit, dropWorktree, planWorktree, toUsageError } from "./worktree.ts";

export interface TreeWorld {
  around: Pick<Surroundings, "clock" | "cwd" | "home" | "pawlHome" | "env" | "settings" | "notice"> & {
    machine: Pick<Machine, "processes">;
  };
  hooks: { has(event: HookEvent): boolean; run(input: HookInput, signal: AbortSignal): Promise<HookAnswer> };
}

export interface MadeTree {
  tree: Worktree;
  /** Whether a hook made it. */
  isHooked: boolean;
}

/** What people are told about a tree that was not removed. */
export interface KeptTree {
  path: string;
  /** One or two sentences. */
  text: string;
}

/** Returns the commit at which a tree starts, if that is not the project's. Throws `UsageError`. */
export type ResolveStartCommit = (tree: Worktree) => Promise<string>;

/** `resolveStartCommit`: only used with git. Throws `UsageError`, leaving nothing behind. */
export async function makeTree(
  world: TreeWorld,
  name: string,
  signal: AbortSignal,
  resolveStartCommit?: ResolveStartCommit,
): Promise<MadeTree> {
  const isHooked = world.hooks.has("WorktreeCreate");
  return {
    tree: await (isHooked ? makeHookTree(world, name, signal) : makeGitTree(world, name, signal, resolveStartCommit)),
    isHooked,
  };
}

/** Returns the corresponding folder in the tree, if it is part of the commit, or else the tree's top. */
export function folderIn(path: string, relativePath: string): string {
  const folder = join(path, relativePath);
  return isFolder(folder) ? folder : path;
}

async function makeGitTree(
  { around }: TreeWorld,
  name: string,
  signal: AbortSignal,
  resolveStartCommit?: ResolveStartCommit,
): Promise<Worktree> {
  const known = await planWorktree(name, around, signal);
  // An existing branch starts where it is.
  const plan =
    resolveStartCommit === undefined || known.keepsBranch === true
      ? known
      : { ...known, base: await resolveStartCommit(known) };
  if (statSync(plan.path, { throwIfNoEntry: false }) !== undefined) {
    const gitFolder = findGitFolder(plan.path);
    // The tree was kept for its content and will be kept again.
    return { ...plan, base: "", ...(gitFolder === undefined ? {} : { gitFolder }) };
  }
  const { processes } = around.machine;
  let tree: Worktree | undefined;
  try {
    writeMarker(plan, processes);
    tree = await addWorktree(plan, around, signal);
    const names = around.settings.worktree?.symlinkDirectories ?? [];
    const wanted = shareableFolders(names);
    // Marked before any link exists: links made by a process that died must not count as changes.
    writeMarker(wanted.length === 0 ? tree : { ...tree, shared: wanted }, processes);
    const shared = shareFolders(tree, names, around.notice);
    if (shared.length < wanted.length) writeMarker({ ...tree, shared }, processes);
    return shared.length === 0 ? tree : { ...tree, shared };
  } catch (error) {
    if (tree !== undefined) await dropWorktree(tree, around.env);
    removeMarker(plan.path);
    throw toUsageError(dirname(plan.path), error);
  }
}

/** Checks what a hook returns: a folder that contains more than a copy of the project is refused. */
async function makeHookTree({ around, hooks }: TreeWorld, name: string, signal: AbortSignal): Promise<Worktree> {
  const { cwd, home, pawlHome, env } = around;
  const before = otherWorktrees(realpathSync(cwd));
  const answer = await hooks.run({ hook_event_name: "WorktreeCreate", name }, signal);
  for (const { text } of answer.notices) around.notice(text);
  const [why] = answer.blocking;
  if (why !== undefined) throw new UsageError(`A hook did not make the work tree: ${why}`);
  const reportedPath = answer.worktreePath ?? "";
  const refuse = (problem: string): UsageError =>
    new UsageError(`The WorktreeCreate hook named ${JSON.stringify(reportedPath.slice(0, 200))}, which ${problem}.`);
  if (!isAbsolute(reportedPath) || !isFolder(reportedPath)) throw refuse("is not the full path of a folder");
  const path = realpathSync(reportedPath);
  if ([cwd, home, pawlHome].some((folder) => isWithin(folder, path)))
    throw refuse("holds more than a copy of the project");
  const top = realpathSync(findRepository(cwd) ?? cwd);
  const gitFolder = findGitFolder(path);
  const at = (await headCommit(path, env)) ?? "";
  // A tree that existed before is kept for its content, as git's trees are.
  const base = before.includes(path) ? "" : at;
  return { path, top, branch: "", base, ...(gitFolder === undefined || at === "" ? {} : { gitFolder }) };
}

/** Returns undefined if the tree had no changes and was removed. `firstWord`: the first word of the text. Never throws. */
export async function settleTree(
  { around, hooks }: TreeWorld,
  { tree, isHooked }: MadeTree,
  firstWord?: string,
): Promise<KeptTree | undefined> {
  const { path } = tree;
  try {
    const change =
      isHooked && tree.gitFolder === undefined ? { kind: "unknown" as const } : await findChanges(tree, around.env);
    const isOurs = change.kind === "none" && (!isHooked || hooks.has("WorktreeRemove"));
    if (isOurs && hooks.has("WorktreeRemove")) {
      const signal = new AbortController().signal;
      const { notices } = await hooks.run({ hook_event_name: "WorktreeRemove", worktree_path: path }, signal);
      for (const { text } of notices) around.notice(text);
    }
    if (isOurs && !isHooked) await dropWorktree(tree, around.env);
    if (!isHooked) removeMarker(path);
    return isOurs ? undefined : { path, text: keptText(tree, change, firstWord) };
  } catch (error) {
    const why = errorText(error);
    around.notice(`The work tree ${path} could not be removed: ${why}.`);
    return { path, text: `${firstWord ?? "Its"} work tree ${path} is still there (${why}).` };
  }
}
