/** A work tree from its making to its end: by git, or by hooks in git's place. */
import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { findGitFolder, findRepository } from "../../knowledge/git-folder.ts";
import { otherWorktrees } from "../../knowledge/git-worktrees.ts";
import { isFolder } from "../../lib/disk-look.ts";
import { errorText } from "../../lib/error-text.ts";
import { isWithin } from "../../lib/is-within.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { HookAnswer, HookEvent, HookInput } from "../../protocol/hook.ts";
import type { Machine } from "../surroundings/machine.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { keptText } from "./kept.ts";
import { mark, unmark, type Worktree } from "./marker.ts";
import { shareable, shareFolders } from "./shared-folders.ts";
import { addWorktree, changeIn, commitIn, dropWorktree, planWorktree, refusedIn } from "./worktree.ts";

export interface TreeWorld {
  around: Pick<Surroundings, "clock" | "cwd" | "home" | "pawlHome" | "env" | "settings" | "notice"> & {
    machine: Pick<Machine, "processes">;
  };
  hooks: { has(event: HookEvent): boolean; run(input: HookInput, signal: AbortSignal): Promise<HookAnswer> };
}

export interface MadeTree {
  tree: Worktree;
  /** By a hook. */
  isHooked: boolean;
}

/** What is told of a tree that was not removed. */
export interface Kept {
  path: string;
  /** One or two sentences. */
  text: string;
}

/** The commit that a tree begins with, where that is not the project's. Throws `UsageError`. */
export type Beginning = (tree: Worktree) => Promise<string>;

/** `begin`: for git alone. Throws `UsageError`; nothing is left of it then. */
export async function makeTree(
  world: TreeWorld,
  name: string,
  signal: AbortSignal,
  begin?: Beginning,
): Promise<MadeTree> {
  const isHooked = world.hooks.has("WorktreeCreate");
  return { tree: await (isHooked ? hooked(world, name, signal) : made(world, name, signal, begin)), isHooked };
}

/** The same folder in the tree, where it is part of the commit. */
export function folderIn(path: string, way: string): string {
  const folder = join(path, way);
  return isFolder(folder) ? folder : path;
}

async function made({ around }: TreeWorld, name: string, signal: AbortSignal, begin?: Beginning): Promise<Worktree> {
  const known = await planWorktree(name, around, signal);
  // A branch that is there begins where it is.
  const plan = begin === undefined || known.keepsBranch === true ? known : { ...known, base: await begin(known) };
  if (statSync(plan.path, { throwIfNoEntry: false }) !== undefined) {
    const gitFolder = findGitFolder(plan.path);
    // It was kept for what is in it, and is kept again.
    return { ...plan, base: "", ...(gitFolder === undefined ? {} : { gitFolder }) };
  }
  const { processes } = around.machine;
  let tree: Worktree | undefined;
  try {
    mark(plan, processes);
    tree = await addWorktree(plan, around, signal);
    const names = around.settings.worktree?.symlinkDirectories ?? [];
    const wanted = shareable(names);
    // Before there are any: links that a process had made when it died are no work.
    mark(wanted.length === 0 ? tree : { ...tree, shared: wanted }, processes);
    const shared = shareFolders(tree, names, around.notice);
    if (shared.length < wanted.length) mark({ ...tree, shared }, processes);
    return shared.length === 0 ? tree : { ...tree, shared };
  } catch (error) {
    if (tree !== undefined) await dropWorktree(tree, around.env);
    unmark(plan.path);
    throw refusedIn(dirname(plan.path), error);
  }
}

/** What a hook says is looked at: no folder with more in it than the project is handed out. */
async function hooked({ around, hooks }: TreeWorld, name: string, signal: AbortSignal): Promise<Worktree> {
  const { cwd, home, pawlHome, env } = around;
  const before = otherWorktrees(realpathSync(cwd));
  const answer = await hooks.run({ hook_event_name: "WorktreeCreate", name }, signal);
  for (const { text } of answer.notices) around.notice(text);
  const [why] = answer.blocking;
  if (why !== undefined) throw new UsageError(`A hook did not make the work tree: ${why}`);
  const said = answer.worktreePath ?? "";
  const refuse = (problem: string): UsageError =>
    new UsageError(`The WorktreeCreate hook named ${JSON.stringify(said.slice(0, 200))}, which ${problem}.`);
  if (!isAbsolute(said) || !isFolder(said)) throw refuse("is no folder by its full path");
  const path = realpathSync(said);
  if ([cwd, home, pawlHome].some((folder) => isWithin(folder, path)))
    throw refuse("holds more than a copy of the project");
  const top = realpathSync(findRepository(cwd) ?? cwd);
  const gitFolder = findGitFolder(path);
  const at = (await commitIn(path, env)) ?? "";
  // One that was there is kept for what is in it, as git's are.
  const base = before.includes(path) ? "" : at;
  return { path, top, branch: "", base, ...(gitFolder === undefined || at === "" ? {} : { gitFolder }) };
}

/** Undefined: there was nothing in it to keep, and it is gone. `whose`: the first word of what is told. Never throws. */
export async function settleTree(
  { around, hooks }: TreeWorld,
  { tree, isHooked }: MadeTree,
  whose?: string,
): Promise<Kept | undefined> {
  const { path } = tree;
  try {
    const change =
      isHooked && tree.gitFolder === undefined ? { kind: "unknown" as const } : await changeIn(tree, around.env);
    const isOurs = change.kind === "none" && (!isHooked || hooks.has("WorktreeRemove"));
    if (isOurs && hooks.has("WorktreeRemove")) {
      const signal = new AbortController().signal;
      const { notices } = await hooks.run({ hook_event_name: "WorktreeRemove", worktree_path: path }, signal);
      for (const { text } of notices) around.notice(text);
    }
    if (isOurs && !isHooked) await dropWorktree(tree, around.env);
    if (!isHooked) unmark(path);
    return isOurs ? undefined : { path, text: keptText(tree, change, whose) };
  } catch (error) {
    const why = errorText(error);
    around.notice(`The work tree ${path} could not be removed: ${why}.`);
    return { path, text: `${whose ?? "Its"} work tree ${path} is still there (${why}).` };
  }
}
