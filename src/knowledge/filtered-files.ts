/**
 * Files that go through a filter on their way into the repository, as those of LFS and git-crypt do. The filters are off here, so each of
 * them whose size or times are not as the index has them looks changed: in a copy of a repository, all of them.
 */
import { runGit, type GitPlace } from "./run-git.ts";

/** A name as it is: one with blanks stands in quotes, and others of those are spelled. */
const changedInFolder = /^.M ("?)([^"\\\n]+)\1$/gmu;
const mostAsked = 2_000;

/** Whether a short status says of such a file that it is changed. */
export async function namesFiltered(status: string, place: GitPlace): Promise<boolean> {
  const paths = Array.from(status.matchAll(changedInFolder), ([, , path = ""]) => path).slice(0, mostAsked);
  if (paths.length === 0) return false;
  // One of them is enough.
  const asked: GitPlace = { ...place, cwd: place.top, mayBeCut: true };
  const told = await runGit(["check-attr", "-z", "filter", "--", ...paths], asked);
  // A name, the attribute's, and its value. What stands behind the last NUL is none, or one that is cut.
  const words = told?.split("\0").slice(0, -1) ?? [];
  return words.some((word, at) => at % 3 === 2 && !/^(?:unspecified|unset|set)$/u.test(word));
}
