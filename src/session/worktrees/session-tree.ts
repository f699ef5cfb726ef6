/** A work tree that a whole session works in, asked for by its name: made, or gone on with where it is there already. */
import { existsSync, realpathSync } from "node:fs";
import { relative } from "node:path";
import { findProject, findRepository } from "../../knowledge/git-folder.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { openHookDesk } from "../hooks/hook-desk.ts";
import { thisMachine } from "../machine.ts";
import type { EngineOptions } from "../options.ts";
import { surroundingsWithoutKey } from "../compose.ts";
import { isMarked, leftBehind, unmark } from "./marker.ts";
import { folderIn, makeTree, settleTree, type MadeTree, type TreeWorld } from "./tree.ts";
import { changeIn, dropWorktree, planWorktree } from "./worktree.ts";

export interface SessionTree {
  name: string;
  /** What the session's folder is in the tree. Absolute. */
  cwd: string;
  /** For people: where it is. */
  told: string;
  /** Once the session is closed. For people: what became of it. Never throws. */
  leave(): Promise<string>;
}

/** A folder, a branch and a word of a command line: what all three take. */
const named = /^(?!agent-|.*\.\.|.*\.lock$)[A-Za-z0-9][A-Za-z0-9._-]{0,62}[A-Za-z0-9_-]$|^[A-Za-z0-9]$/u;

/** Throws `UsageError` for what cannot name one. */
export function treeName(wish: string): string {
  if (named.test(wish)) return wish;
  if (/^(?:#\d+$|https?:)/u.test(wish))
    throw new UsageError(`--worktree ${wish}: pull requests are not built yet; fetch its branch and name a work tree.`);
  throw new UsageError(
    `--worktree: ${JSON.stringify(wish.slice(0, 80))} is no name for a work tree: letters and digits, with ".", "_" and "-" between them, at most 64, and not "agent-…". A prompt goes first, or after "--".`,
  );
}

/** `options` are those of the session, in the folder that was left for the tree. Throws `UsageError`; nothing is left of it then. */
export async function enterSessionTree(
  name: string,
  options: EngineOptions,
  signal: AbortSignal,
): Promise<SessionTree> {
  const world = worldOf(options);
  const { around, hooks } = world;
  const places = { ...around, cwd: projectOf(around.cwd) };
  const own = { around: places, hooks };
  const taken = hooks.has("WorktreeCreate") ? undefined : await takenUp(name, own, signal);
  const made = taken ?? (await makeTree(own, name, signal));
  const { path, branch } = made.tree;
  const top = findRepository(around.cwd) ?? around.cwd;
  const where = branch === "" ? path : `${path}, on the branch ${branch}`;
  return {
    name,
    cwd: folderIn(path, relative(realpathSync(top), realpathSync(around.cwd))),
    told: `${taken === undefined ? "working in" : "going on in"} the work tree ${where}`,
    leave: async () => await left(name, own, made, taken !== undefined),
  };
}

async function left(name: string, world: TreeWorld, made: MadeTree, isTaken: boolean): Promise<string> {
  const { path } = made.tree;
  const goesOn = `"pawl --worktree ${name}" goes on there.`;
  // Another session that went on in it has made it the user's.
  if (isTaken || (!made.isHooked && !isMarked(path))) return `the work tree ${path} was kept: ${goesOn}`;
  const kept = await settleTree(world, made, "the");
  return kept === undefined ? `the work tree ${name} was removed: nothing was changed in it` : `${kept.text} ${goesOn}`;
}

/** The tree that is there already, and nobody's but the user's from now on. One that a process left behind with nothing in it is none. */
async function takenUp(name: string, { around }: TreeWorld, signal: AbortSignal): Promise<MadeTree | undefined> {
  const tree = await planWorktree(name, around, signal);
  const { path, top } = tree;
  if (!existsSync(path)) return undefined;
  const abandoned = leftBehind(around.pawlHome, around.machine.processes).find((each) => each.path === path);
  if (abandoned !== undefined && (await changeIn(abandoned, around.env)).kind === "none") {
    await dropWorktree(abandoned, around.env);
    unmark(path);
    return undefined;
  }
  if (findProject(path) !== top)
    throw new UsageError(`${path} is there and is no work tree of ${top}: move it away, or take another name.`);
  unmark(path);
  return { tree, isHooked: false };
}

/** The repository's first tree, wherever in it the user is: a name means the same tree everywhere. */
function projectOf(cwd: string): string {
  const project = findProject(cwd);
  return findRepository(project) === project ? project : cwd;
}

function worldOf(options: EngineOptions): TreeWorld {
  // What is wrong with the settings is told once the session reads them.
  const quiet: EngineOptions = { ...options, onNotice: () => {} };
  const { cwd, home, pawlHome, env } = surroundingsWithoutKey(quiet);
  const desk = openHookDesk(quiet);
  return {
    around: { cwd, home, pawlHome, env, notice: options.onNotice ?? (() => {}), machine: thisMachine },
    hooks: {
      has: (event) => desk.hooks.some((hook) => hook.event === event && hook.runs),
      run: async (input, signal) => (await desk.try(input, signal)).answer,
    },
  };
}
