/** A work tree for a whole session, named or for a pull request: created, or reused if it exists. */
import { existsSync, realpathSync } from "node:fs";
import { relative } from "node:path";
import { findProject } from "../knowledge/git-folder.ts";
import { findRepository } from "../lib/git-repository.ts";
import { quoteForShell } from "../lib/shell-quote.ts";
import { UsageError } from "../lib/usage-error.ts";
import { openHookDesk } from "./desk/hook-desk.ts";
import { thisMachine } from "./surroundings/machine.ts";
import type { EngineOptions } from "./options/options.ts";
import { surroundingsWithoutKey } from "./surroundings/read-surroundings.ts";
import { hasMarker, abandonedWorktrees, removeMarker } from "./worktrees/marker.ts";
import { fetchPullRequest, parsePullRequest, remoteOf, type PullRequest } from "./worktrees/pull-request.ts";
import {
  folderIn,
  makeTree,
  settleTree,
  type ResolveStartCommit,
  type MadeTree,
  type TreeWorld,
} from "./worktrees/tree.ts";
import { findChanges, dropWorktree, makeTimeoutMs, placeOf, planWorktree } from "./worktrees/worktree.ts";

export interface SessionTree {
  /** The argument of `--worktree` to continue in the tree, quoted for a shell. */
  name: string;
  /** The folder in the tree that corresponds to the session's. Absolute. */
  cwd: string;
  /** Tells people where the tree is. */
  message: string;
  /** Called once the session is closed. Returns what became of the tree, for people. Never throws. */
  leave(): Promise<string>;
}

/** A name that is valid as a folder, as a branch and as a word on a command line. */
const namePattern = /^(?!agent-|.*\.\.|.*\.lock$)[A-Za-z0-9][A-Za-z0-9._-]{0,62}[A-Za-z0-9_-]$|^[A-Za-z0-9]$/u;

/** What `--worktree` requests. */
export type WorktreeRequest = { name: string } | { pull: PullRequest };

/** Throws `UsageError` for text that is neither a name nor a pull request. */
export function parseWorktreeRequest(text: string): WorktreeRequest {
  if (namePattern.test(text)) return { name: text };
  const pull = parsePullRequest(text);
  if (pull !== undefined) return { pull };
  throw new UsageError(
    `--worktree: ${JSON.stringify(text.slice(0, 80))} is not a name for a work tree (letters and digits, with ".", "_" and "-" between them, at most 64, not "agent-…") and not a pull request, such as "#12" or its address. A prompt goes first, or after "--".`,
  );
}

/** `options`: the session's, in the folder that the tree replaces. Throws `UsageError`, leaving nothing behind. */
export async function enterSessionTree(
  wish: WorktreeRequest,
  options: EngineOptions,
  signal: AbortSignal,
): Promise<SessionTree> {
  const world = worldOf(options);
  const { around, hooks } = world;
  const own = { around: { ...around, cwd: mainWorktree(around.cwd) }, hooks };
  const { name, begin } = "name" in wish ? { name: wish.name } : await planForPullRequest(wish.pull, own, signal);
  const word = "name" in wish ? name : quoteForShell(wish.pull.reference);
  const reused = hooks.has("WorktreeCreate") ? undefined : await reuseTree(name, own, signal);
  const tree = reused ?? (await makeTree(own, name, signal, begin));
  const { path, branch } = tree.tree;
  const top = findRepository(around.cwd) ?? around.cwd;
  const where = branch === "" ? path : `${path}, on the branch ${branch}`;
  return {
    name: word,
    cwd: folderIn(path, relative(realpathSync(top), realpathSync(around.cwd))),
    message: `${reused === undefined ? "working in" : "going on in"} the work tree ${where}`,
    leave: async () => await leaveTree({ name, word }, own, tree, reused !== undefined),
  };
}

/** Each remote's pull requests get trees of their own; those of `origin` are named by number alone. */
async function planForPullRequest(
  pull: PullRequest,
  { around, hooks }: TreeWorld,
  signal: AbortSignal,
): Promise<{ name: string; begin: ResolveStartCommit }> {
  const found = findRepository(around.cwd);
  if (found === undefined)
    throw new UsageError(`${around.cwd} is not in a git repository, so it has no pull requests.`);
  if (hooks.has("WorktreeCreate"))
    throw new UsageError(
      `--worktree ${pull.reference}: a WorktreeCreate hook makes the work trees here, and cannot be given a pull request: fetch its branch and name a work tree.`,
    );
  const place = { ...placeOf(realpathSync(found), around.env), signal, limitMs: makeTimeoutMs };
  const remote = await remoteOf(pull, place);
  const begin: ResolveStartCommit = async () => await fetchPullRequest(pull, remote, place);
  const more = remote.name === "origin" ? "" : `-${remote.name.replaceAll(/[^A-Za-z0-9_-]+/gu, "-").slice(0, 40)}`;
  return { name: `pr-${pull.number}${more}`, begin };
}

async function leaveTree(
  { name, word }: { name: string; word: string },
  world: TreeWorld,
  tree: MadeTree,
  isReused: boolean,
): Promise<string> {
  const { path } = tree.tree;
  const goesOn = `"pawl --worktree ${word}" goes on there.`;
  // Another session has continued in the tree, which makes it the user's.
  if (isReused || (!tree.isHooked && !hasMarker(path))) return `the work tree ${path} was kept: ${goesOn}`;
  const kept = await settleTree(world, tree, "the");
  return kept === undefined ? `the work tree ${name} was removed: nothing was changed in it` : `${kept.text} ${goesOn}`;
}

/** Returns the existing tree, which now belongs to the user. A tree that a dead process left without changes is removed instead. */
async function reuseTree(name: string, { around }: TreeWorld, signal: AbortSignal): Promise<MadeTree | undefined> {
  const tree = await planWorktree(name, around, signal);
  const { path, top } = tree;
  if (!existsSync(path)) return undefined;
  const left = abandonedWorktrees(around.pawlHome, around.machine.processes, around.clock.now());
  const abandoned = left.find((each) => each.path === path);
  if (abandoned !== undefined && (await findChanges(abandoned, around.env)).kind === "none") {
    await dropWorktree(abandoned, around.env);
    removeMarker(path);
    return undefined;
  }
  if (findProject(path) !== top)
    throw new UsageError(`${path} exists and is not a work tree of ${top}: move it away, or use another name.`);
  removeMarker(path);
  return { tree, isHooked: false };
}

/** Returns the repository's main work tree, wherever in it the user is: a name means the same tree everywhere. */
function mainWorktree(cwd: string): string {
  const project = findProject(cwd);
  return findRepository(project) === project ? project : cwd;
}

function worldOf(options: EngineOptions): TreeWorld {
  // Problems with the settings are reported once the session reads them.
  const quiet: EngineOptions = { ...options, onNotice: () => {} };
  const { clock, cwd, home, pawlHome, env, settings } = surroundingsWithoutKey(quiet);
  const desk = openHookDesk(quiet);
  const notice = options.onNotice ?? (() => {});
  return {
    around: { clock, cwd, home, pawlHome, env, settings, notice, machine: thisMachine },
    hooks: {
      has: (event) => desk.hooks.some((hook) => hook.event === event && hook.runs),
      run: async (input, signal) => (await desk.try(input, signal)).answer,
    },
  };
}
