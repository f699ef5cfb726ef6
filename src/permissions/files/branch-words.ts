/** Words that `git checkout` takes as branches: if no such file exists or is tracked, it creates none. */
import { relative } from "node:path";
import { foldCase } from "../../lib/path-pattern.ts";
import { repositoryAt, trackedIn } from "../git/git-tracked.ts";
import { isThere, placeIn, type PathReader } from "../paths/path-forms.ts";

const checkoutFlag = /^(?:-[qfmdlt]+|--(?:quiet|force|merge|detach|track|guess|progress|no-[a-z-]+))$/u;
const plainName = /^\w[\w./@+-]*$/u;

/** The index of the word after `git` that may be a branch. `-b` and the like name new branches. */
export function branchIndex(texts: readonly string[]): number | undefined {
  const at = texts[0] === "checkout" ? texts.findIndex((text, index) => index > 0 && !checkoutFlag.test(text)) : -1;
  return plainName.test(texts[at] ?? "") ? at : undefined;
}

/** Returns a function that tells whether git, in `start`, certainly finds no file of that name, and none below it. */
export function createBranchTest(start: string, reader: PathReader): (name: string) => boolean {
  let tracked: readonly string[] | undefined;
  return (name) => {
    if (isThere(placeIn(start, name), reader)) return false;
    const folder = reader.realpath(start);
    const repository = repositoryAt(folder);
    if (repository === undefined) return false;
    tracked ??= trackedIn(repository)?.map(foldCase);
    const path = foldCase(relative(repository.top, placeIn(folder, name)));
    // In a sparse index, a folder represents its files.
    const isIn = (file: string): boolean =>
      file === path || file.startsWith(`${path}/`) || (file.endsWith("/") && path.startsWith(file));
    return tracked !== undefined && !tracked.some(isIn);
  };
}
