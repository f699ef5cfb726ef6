/** The folders that a command goes through, by its words: what it comes by there it does not name. */
import { alike } from "../../lib/alike.ts";
import {
  changedBelow,
  comparedByDiff,
  copiedByCp,
  copiedByRsync,
  copiedByScp,
  laidByInstall,
  movedWhole,
  packedBy7z,
  packedByTar,
  packedByZip,
} from "./copied-trees.ts";
import { readOnlyProgram } from "../options/program-options.ts";
import { certainWord } from "../shell/text.ts";
import { programOf } from "../shell/unwrap.ts";
import { foundByFd } from "./found-by-fd.ts";
import { foundBy } from "./found-trees.ts";
import { treesOfGit } from "./git-trees.ts";
import { isShower } from "./shown-words.ts";
import { searchedByAg, searchedByGrep, searchedByRg } from "./searched-trees.ts";
import type { Tree } from "./tree.ts";

type Reader = (texts: readonly string[]) => Tree[];

const programs = new Map<string, Reader>([
  ...alike("grep egrep fgrep zgrep bzgrep xzgrep", searchedByGrep),
  ["rgrep", (texts) => searchedByGrep(texts, true)],
  ["ag", searchedByAg],
  ["ack", (texts) => searchedByAg(["-a", ...texts])],
  ...alike("find gfind", (texts: readonly string[]) => foundBy(texts, goesBelow)),
  ...alike("fd fdfind", (texts: readonly string[]) => foundByFd(texts, goesBelow)),
  ...alike("tar gtar bsdtar", packedByTar),
  ["zip", packedByZip],
  ...alike("7z 7za 7zr 7zz", packedBy7z),
  ["cp", copiedByCp],
  ...alike("install ln", laidByInstall),
  ["rsync", copiedByRsync],
  ["scp", copiedByScp],
  ...alike("diff colordiff", comparedByDiff),
  ["rm", changedBelow(["-r", "-R", "--recursive"])],
  ...alike("gzip gunzip", changedBelow(["-r", "--recursive"])),
  ...alike("chmod chown chgrp", changedBelow(["-R", "--recursive"], true)),
  ["mv", movedWhole],
]);

/** What they do to a folder is not done to what lies in it; what a loop goes through is seen where it is used. */
const onFolders = new Set("cd pushd popd mkdir rmdir touch tree echo printf test type [ [[ git for select".split(" "));

/** Those that show or pack a folder which they are given, with an option. */
const recursive = new Set("gunzip gzip pax sdiff vimdiff zstd".split(" "));

/** Nothing is known of the program that would speak against its going through a folder: which files those of a list come by is told here. */
export function mayGoInto(program: string, texts: readonly string[]): boolean {
  if (recursive.has(program)) return texts.some((text) => /^-[A-Za-z]*[rRw]|^--r/u.test(text));
  if (onFolders.has(program) || program === "rg" || programs.has(program) || isShower(program)) return false;
  return readOnlyProgram(program) === undefined;
}

/** Whether these words, given a folder, may do what they do to all that lies in it. */
export function goesBelow(words: readonly string[]): boolean {
  const program = programOf(certainWord(words[0] ?? "")) ?? "";
  const texts = words.slice(1);
  return mayGoInto(program, texts) || deepTrees(program, [...texts, "x"], false, () => true).length > 0;
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
