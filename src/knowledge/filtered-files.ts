/**
 * Files that pass through a filter on their way into the repository, as with LFS and git-crypt. The filters are disabled here, so each such
 * file whose size or times differ from the index looks changed: in a copy of a repository, all of them.
 */
import { runGit, type GitPlace } from "./run-git.ts";

/** A path in the output of git status. A path with blanks is quoted; other quoted paths contain escapes and are not matched. */
const changedFileLine = /^.M ("?)([^"\\\n]+)\1$/gmu;
const maxPaths = 2_000;

/** Whether a short status lists such a file as changed. */
export async function listsFilteredFile(status: string, place: GitPlace): Promise<boolean> {
  const paths = Array.from(status.matchAll(changedFileLine), ([, , path = ""]) => path).slice(0, maxPaths);
  if (paths.length === 0) return false;
  // One such file is enough.
  const topPlace: GitPlace = { ...place, cwd: place.top, mayBeCut: true };
  const attributes = await runGit(["check-attr", "-z", "filter", "--", ...paths], topPlace);
  // Triples of path, attribute and value. The text after the last NUL is empty, or a triple that was cut.
  const words = attributes?.split("\0").slice(0, -1) ?? [];
  return words.some((word, at) => at % 3 === 2 && !/^(?:unspecified|unset|set)$/u.test(word));
}
