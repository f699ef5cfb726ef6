/** The folders that a command goes through, by its words: what it comes by there it does not name. */
import {
  changedBelow,
  comparedByDiff,
  copiedByCp,
  copiedByRsync,
  copiedByScp,
  movedWhole,
  packedBy7z,
  packedByTar,
  packedByZip,
} from "./copied-trees.ts";
import { foundBy, foundByFd } from "./found-trees.ts";
import { treesOfGit } from "./git-trees.ts";
import { searchedByAg, searchedByGrep, searchedByRg } from "./searched-trees.ts";
import type { Tree } from "./tree.ts";

type Reader = (texts: readonly string[]) => Tree[];

const programs = new Map<string, Reader>([
  ...["grep", "egrep", "fgrep", "zgrep", "bzgrep", "xzgrep"].map((name): [string, Reader] => [
    name,
    (texts) => searchedByGrep(texts),
  ]),
  ["rgrep", (texts) => searchedByGrep(texts, true)],
  ["ag", searchedByAg],
  ["ack", (texts) => searchedByAg(["-a", ...texts])],
  ...["find", "gfind"].map((name): [string, Reader] => [name, foundBy]),
  ...["fd", "fdfind"].map((name): [string, Reader] => [name, foundByFd]),
  ...["tar", "gtar", "bsdtar"].map((name): [string, Reader] => [name, packedByTar]),
  ["zip", packedByZip],
  ...["7z", "7za", "7zz"].map((name): [string, Reader] => [name, packedBy7z]),
  ["cp", copiedByCp],
  ["rsync", copiedByRsync],
  ["scp", copiedByScp],
  ...["diff", "colordiff"].map((name): [string, Reader] => [name, comparedByDiff]),
  ["rm", changedBelow(/^(?:-[rR]|--rec.*)$/u)],
  ...["chmod", "chown", "chgrp"].map((name): [string, Reader] => [name, changedBelow(/^(?:-R|--rec.*)$/u, true)]),
  ["mv", movedWhole],
]);

/** `isFed`: it gets what another command puts out. */
export function deepTrees(
  program: string,
  texts: readonly string[],
  isFed: boolean,
  isPath: (text: string) => boolean,
): Tree[] {
  if (program === "git") return treesOfGit(texts, isPath);
  if (program === "rg") return searchedByRg(texts, isFed);
  return programs.get(program)?.(texts) ?? [];
}
