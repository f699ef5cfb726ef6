/** Folders whose transcripts lie in one place, as their paths differ in punctuation alone: `a-b` and `a/b`. Whose session is it? */
import { basename, dirname } from "node:path";
import { realPathOf } from "../lib/disk-look.ts";
import { projectSlug } from "./paths.ts";
import type { SessionSummary } from "./summary.ts";

/**
 * Whether a session that lies where those of `dirs` do is of one of them. One of a folder that is gone is, too: the project may have been
 * renamed. So is one that another name led here: a copy, or a file that somebody put there.
 */
export function isOfOne(
  dirs: readonly string[],
  { path, cwd }: Pick<SessionSummary, "path"> & { cwd?: string | undefined },
): boolean {
  if (cwd === undefined || dirs.includes(cwd) || projectSlug(cwd) !== basename(dirname(path))) return true;
  const real = realPathOf(cwd);
  return real === undefined || dirs.some((dir) => realPathOf(dir) === real);
}
