/** The folders that a command goes through: files there are reached without being named. */
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

/** Programs that affect a folder but not its content. The words of a loop count where they are used. */
const onFolders = new Set("cd pushd popd mkdir rmdir touch tree echo printf test type [ [[ git for select".split(" "));

/** Programs that show or pack a folder only with an option. */
const recursive = new Set("gunzip gzip pax sdiff vimdiff zstd".split(" "));

/** Whether the program may go through a folder given to it, as far as nothing is known against it. `deepTrees` has the listed programs. */
export function mayGoInto(program: string, texts: readonly string[]): boolean {
  if (recursive.has(program)) return texts.some((text) => /^-[A-Za-z]*[rRw]|^--r/u.test(text));
  if (onFolders.has(program) || program === "rg" || programs.has(program) || isShower(program)) return false;
  return readOnlyProgram(program) === undefined;
}

/** Whether these words, given a folder, may affect everything in it. */
export function goesBelow(words: readonly string[]): boolean {
  const program = programOf(certainWord(words[0] ?? "")) ?? "";
  const texts = words.slice(1);
  return mayGoInto(program, texts) || deepTrees(program, [...texts, "x"], false, () => true).length > 0;
}

/** `isFed`: its input is another command's output. */
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
