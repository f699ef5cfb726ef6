/** Working directories that share a transcript folder because their paths differ in punctuation only, as `a-b` and `a/b` do. */
import { basename, dirname } from "node:path";
import { realPathOf } from "../lib/path-status.ts";
import { projectSlug } from "./paths.ts";
import type { SessionSummary } from "./summary.ts";

/**
 * Whether a session in the transcript folder of `dirs` belongs to one of them. It also does if its own folder is gone, since the project
 * may have been renamed, and if it came here under another slug: as a copy, or as a file that somebody put there.
 */
export function belongsToAnyDir(
  dirs: readonly string[],
  { path, cwd }: Pick<SessionSummary, "path"> & { cwd?: string | undefined },
): boolean {
  if (cwd === undefined || dirs.includes(cwd) || projectSlug(cwd) !== basename(dirname(path))) return true;
  const real = realPathOf(cwd);
  return real === undefined || dirs.some((dir) => realPathOf(dir) === real);
}
