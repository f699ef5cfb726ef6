/** The text about a work tree that was kept because it contains something. */
import type { WorktreeChange } from "./worktree.ts";
import type { Worktree } from "./marker.ts";

/** For people and the model alike. `firstWord`: the first word. */
export function keptText({ path, branch }: Worktree, change: WorktreeChange, firstWord = "Its"): string {
  const awayAt = change.kind === "some" ? change.awayAt : undefined;
  const where = awayAt === undefined ? "" : `, which it has left: it is at the commit ${awayAt.slice(0, 12)}`;
  const on = branch === "" ? "" : ` (branch ${branch}${where})`;
  const kept = `${firstWord} work tree was kept: ${path}${on}`;
  if (change.kind !== "some") return `${kept}. Whether it contains changes could not be determined.`;
  const files =
    change.files === 0 ? [] : [`${change.files} changed ${change.files === 1 ? "file" : "files"} not committed`];
  const what = [...(change.hasCommits ? ["commits of its own"] : []), ...files].join(" and ");
  return `${kept}, with ${what === "" ? "a submodule that was fetched" : what}. To take it over, merge or copy from there; "git worktree remove" ends it.`;
}
