/** Work trees whose process died: removed where nothing is in them, else the user's from now on, which is said. */
import type { GitPlace } from "../../knowledge/run-git.ts";
import type { ProcessTable } from "../../transcript/process-table.ts";
import { keptText } from "./kept.ts";
import { leftBehind, removeDrafts, unmark } from "./marker.ts";
import { changeIn, dropWorktree } from "./worktree.ts";

export interface WorktreeSweep {
  pawlHome: string;
  env: GitPlace["env"];
  processes: ProcessTable;
  /** ms since the epoch. */
  now: number;
  /** For people: what is theirs now. */
  notice: (text: string) => void;
}

/** Never removes what holds a change, or might. */
export async function sweepWorktrees({ pawlHome, env, processes, now, notice }: WorktreeSweep): Promise<void> {
  for (const tree of leftBehind(pawlHome, processes, now)) {
    const change = await changeIn(tree, env);
    if (change.kind === "none") await dropWorktree(tree, env);
    else notice(`A session ended without having settled its work tree. ${keptText(tree, change)}`);
    unmark(tree.path);
  }
  removeDrafts(pawlHome, processes, now);
}
