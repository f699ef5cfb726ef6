/** The place of an agent that must not change the user's files: a work tree of its own, from creation to removal. */
import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { UsageError } from "../../lib/usage-error.ts";
import type { AgentPlace, AgentRun, Joined } from "../joined.ts";
import { composeSandbox } from "../permissions/sandbox-parts.ts";
import { worktreeName } from "./needs-worktree.ts";
import type { Mirror } from "../surroundings/isolation.ts";
import { isolatedFolders, isolatedSettings } from "../worktrees/isolation-rules.ts";
import { withoutOtherRepository } from "../worktrees/no-other-repository.ts";
import { folderIn, makeTree, settleTree, type KeptTree } from "../worktrees/tree.ts";
import type { Worktree } from "../worktrees/marker.ts";

export interface OwnedPlace extends AgentPlace {
  /** Called once nothing of the agent runs any more. Returns undefined if the tree had no changes and was removed. Never throws. */
  leave(): Promise<KeptTree | undefined>;
}

/** Throws `UsageError`, leaving nothing behind. */
export async function enterPlace(
  joined: Joined,
  { id, definition }: AgentRun,
  signal: AbortSignal,
): Promise<OwnedPlace> {
  const madeTree = await makeTree(joined, worktreeName(id), signal);
  const { tree } = madeTree;
  const close = async (): Promise<KeptTree | undefined> => await settleTree(joined, madeTree);
  try {
    const keepsNotes = definition.memory === "project" || definition.memory === "local";
    const place = await placeIn(joined, tree, keepsNotes);
    const leave = async (): Promise<KeptTree | undefined> => {
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
  { path, top, branch, base, gitFolder }: Worktree,
  keepsNotes: boolean,
): Promise<AgentPlace> {
  const { around, options } = joined;
  const cwd = folderIn(path, relative(top, realpathSync(around.cwd)));
  const mirror: Mirror & { cwd: string } = { from: top, to: path, cwd: around.cwd };
  const { isolation } = around;
  const surroundings = {
    ...around,
    cwd,
    env: withoutOtherRepository(around.env),
    settings: isolatedSettings(around.settings, mirror),
    isolation: {
      projectFolder: isolation?.projectFolder ?? around.cwd,
      mirrors: [...(isolation?.mirrors ?? []), mirror],
      keepsNotes,
    },
  };
  const addDirs = isolatedFolders(options.addDirs ?? [], mirror);
  // If commands run unconfined here, that was reported when the session began.
  const isConfined = joined.tools.shared.sandbox !== undefined;
  const sandbox = isConfined ? await composeSandbox({ ...options, addDirs }, surroundings) : undefined;
  if (isConfined && sandbox === undefined)
    throw new UsageError("The agent's commands could not be confined to its work tree.");
  const where = branch === "" ? "" : `, on the branch ${branch}`;
  const from = base === "" ? "" : `, made from the commit ${base.slice(0, 12)}`;
  const what = gitFolder === undefined ? "" : ` (a git work tree${where}${from})`;
  const description = `You work in a copy of the project of your own${what}. The user's own files stay as they are; what they had not committed is not here. Paths you were given in ${top} are in ${path} for you.`;
  return { path, around: surroundings, addDirs, description, sandbox };
}
