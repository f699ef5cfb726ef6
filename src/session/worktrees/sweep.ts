/** Settles work trees whose process died: empty ones are removed; the others belong to the user from now on, with a notice. */
import type { GitPlace } from "../../knowledge/run-git.ts";
import type { ProcessTable } from "../../transcript/process-table.ts";
import { keptText } from "./kept-text.ts";
import { abandonedWorktrees, removeDrafts, removeMarker } from "./marker.ts";
import { findChanges, dropWorktree } from "./worktree.ts";

export interface WorktreeSweep {
  pawlHome: string;
  env: GitPlace["env"];
  processes: ProcessTable;
  /** ms since the epoch. */
  now: number;
  /** Tells people what belongs to them now. */
  notice: (text: string) => void;
}

/** Never removes a tree that contains a change, or may contain one. */
export async function sweepWorktrees({ pawlHome, env, processes, now, notice }: WorktreeSweep): Promise<void> {
  for (const tree of abandonedWorktrees(pawlHome, processes, now)) {
    const change = await findChanges(tree, env);
    if (change.kind === "none") await dropWorktree(tree, env);
    else notice(`A session ended without having settled its work tree. ${keptText(tree, change)}`);
    removeMarker(tree.path);
  }
  removeDrafts(pawlHome, processes, now);
}
