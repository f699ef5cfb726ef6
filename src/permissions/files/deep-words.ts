/** The folders that a command goes through, by its words: what it comes by there it does not name. */
import { alike } from "../../lib/alike.ts";
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
  ...alike("grep egrep fgrep zgrep bzgrep xzgrep", searchedByGrep),
  ["rgrep", (texts) => searchedByGrep(texts, true)],
  ["ag", searchedByAg],
  ["ack", (texts) => searchedByAg(["-a", ...texts])],
  ...alike("find gfind", foundBy),
  ...alike("fd fdfind", foundByFd),
  ...alike("tar gtar bsdtar", packedByTar),
  ["zip", packedByZip],
  ...alike("7z 7za 7zz", packedBy7z),
  ["cp", copiedByCp],
  ["rsync", copiedByRsync],
  ["scp", copiedByScp],
  ...alike("diff colordiff", comparedByDiff),
  ["rm", changedBelow(/^(?:-[rR]|--rec.*)$/u)],
  ...alike("chmod chown chgrp", changedBelow(/^(?:-R|--rec.*)$/u, true)),
  ["mv", movedWhole],
]);

/** Which files it comes by below a folder is told here. */
export function goesByItself(program: string): boolean {
  return program === "rg" || programs.has(program);
}

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
