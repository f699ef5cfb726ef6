/** The place of an agent that is to leave the user's files as they are: a work tree of its own, from its making to its end. */
import { errorText } from "../../lib/error-text.ts";
import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { findGitFolder, findRepository } from "../../knowledge/git-folder.ts";
import { isWithin } from "../../knowledge/scan.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { AgentPlace, AgentSeat, Joined } from "../joined.ts";
import { composeSandbox } from "../permissions/sandbox-parts.ts";
import { placeName } from "./apart.ts";
import { isolatedFolders, isolatedSettings, type Mirror } from "./isolated.ts";
import { keptText } from "./kept.ts";
import { mark, unmark } from "./marker.ts";
import { addWorktree, changeIn, commitIn, dropWorktree, planWorktree, type Worktree } from "./worktree.ts";

/** What is told of a tree that was not removed. */
export interface Kept {
  path: string;
  /** For the model, one or two sentences. */
  text: string;
}

export interface OwnedPlace extends AgentPlace {
  /** Once nothing of the agent runs any more. Undefined: there was nothing in it to keep, and it is gone. Never throws. */
  leave(): Promise<Kept | undefined>;
}

/** Throws `UsageError`; nothing is left of it then. */
export async function enterPlace(
  joined: Joined,
  { id, definition }: AgentSeat,
  signal: AbortSignal,
): Promise<OwnedPlace> {
  const name = placeName(id);
  const isHooked = joined.hooks.has("WorktreeCreate");
  const tree = isHooked ? await hooked(joined, name, signal) : await made(joined, name, signal);
  const close = async (): Promise<Kept | undefined> => await settle(joined, tree, isHooked);
  try {
    const keepsNotes = definition.memory === "project" || definition.memory === "local";
    const place = await placeIn(joined, tree, keepsNotes);
    const leave = async (): Promise<Kept | undefined> => {
      place.sandbox?.sandbox.dispose();
      return await close();
    };
    return { ...place, leave };
  } catch (error) {
    await close();
    throw error;
  }
}

async function placeIn(
  joined: Joined,
  { path, top, branch, base }: Worktree,
  keepsNotes: boolean,
): Promise<AgentPlace> {
  const { around, options } = joined;
  const cwd = folderIn(path, relative(top, realpathSync(around.cwd)));
  const mirror: Mirror & { cwd: string } = { from: top, to: path, cwd: around.cwd };
  const { isolation } = around;
  const surroundings = {
    ...around,
    cwd,
    settings: isolatedSettings(around.settings, mirror),
    isolation: {
      projectFolder: isolation?.projectFolder ?? around.cwd,
      mirrors: [...(isolation?.mirrors ?? []), mirror],
      keepsNotes,
    },
  };
  const addDirs = isolatedFolders(options.addDirs ?? [], mirror);
  // Where commands run as they are, that was said when the session began.
  const isConfined = joined.tools.shared.sandbox !== undefined;
  const sandbox = isConfined ? await composeSandbox({ ...options, addDirs }, surroundings) : undefined;
  if (isConfined && sandbox === undefined)
    throw new UsageError("The agent's commands could not be confined to its work tree.");
  const where = branch === "" ? "" : `, on the branch ${branch}`;
  const about = `You work in a copy of the project of your own (a git work tree${where}, made from the commit ${base.slice(0, 12)}). The user's own files stay as they are; what they had not committed is not here. Paths you were given in ${top} are in ${path} for you.`;
  return { path, around: surroundings, addDirs, about, sandbox };
}

/** The same folder in the tree, where it is part of the commit. */
function folderIn(path: string, way: string): string {
  const folder = join(path, way);
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? folder : path;
}

async function made({ around }: Joined, name: string, signal: AbortSignal): Promise<Worktree> {
  const plan = await planWorktree(name, around, signal);
  if (statSync(plan.path, { throwIfNoEntry: false }) !== undefined) {
    const gitFolder = findGitFolder(plan.path);
    // It was kept for what is in it, and is kept again.
    return { ...plan, base: "", ...(gitFolder === undefined ? {} : { gitFolder }) };
  }
  const { processes } = around.machine;
  mark(plan, processes);
  try {
    const tree = await addWorktree(plan, around, signal);
    mark(tree, processes);
    return tree;
  } catch (error) {
    unmark(plan.path);
    throw error;
  }
}

/** What a hook says is looked at: no folder with more in it than the project is handed to an agent. */
async function hooked({ around, hooks }: Joined, name: string, signal: AbortSignal): Promise<Worktree> {
  const { cwd, home, pawlHome, env } = around;
  const answer = await hooks.run({ hook_event_name: "WorktreeCreate", name }, signal);
  for (const { text } of answer.notices) around.notice(text);
  const [why] = answer.blocking;
  if (why !== undefined) throw new UsageError(`A hook did not make a work tree for the agent: ${why}`);
  const said = answer.worktreePath ?? "";
  const refuse = (problem: string): UsageError =>
    new UsageError(`The WorktreeCreate hook named ${JSON.stringify(said.slice(0, 200))}, which ${problem}.`);
  if (!isAbsolute(said) || statSync(said, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw refuse("is no folder by its full path");
  const path = realpathSync(said);
  if ([cwd, home, pawlHome].some((folder) => isWithin(path, folder)))
    throw refuse("holds more than a copy of the project");
  const top = realpathSync(findRepository(cwd) ?? cwd);
  const gitFolder = findGitFolder(path);
  const base = (await commitIn(path, env)) ?? "";
  return { path, top, branch: "", base, ...(gitFolder === undefined || base === "" ? {} : { gitFolder }) };
}

async function settle(joined: Joined, tree: Worktree, isHooked: boolean): Promise<Kept | undefined> {
  const { around, hooks } = joined;
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
    return isOurs ? undefined : { path, text: keptText(tree, change) };
  } catch (error) {
    const why = errorText(error);
    around.notice(`The work tree ${path} could not be removed: ${why}.`);
    return { path, text: `Its work tree ${path} is still there (${why}).` };
  }
}
