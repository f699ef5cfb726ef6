/** The folders that a command goes through: files there are reached without being named. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import {
  createRecursiveReader,
  treesOfDiff,
  treesOfCp,
  treesOfRsync,
  treesOfScp,
  treesOfInstall,
  treesOfMv,
  treesOf7z,
  treesOfTar,
  treesOfZip,
} from "./copied-trees.ts";
import { readOnlyProgram } from "../options/program-options.ts";
import { certainWord } from "../shell/text.ts";
import { programName } from "../shell/unwrap.ts";
import { treesOfFd } from "./fd-trees.ts";
import { treesOfFind } from "./find-trees.ts";
import { treesOfHandedFolders } from "./handed-folders.ts";
import { treesOfGit } from "./git-trees.ts";
import { isShowingProgram } from "./shown-words.ts";
import { isPython, treesOfPython } from "./module-trees.ts";
import { treesOfAg, treesOfGrep, treesOfRg } from "./searched-trees.ts";
import type { Tree } from "./tree.ts";

type TreeReader = (texts: readonly string[]) => Tree[];

const treeReaders = new Map<string, TreeReader>([
  ...entriesForNames("grep egrep fgrep zgrep bzgrep xzgrep", treesOfGrep),
  ["rgrep", (texts) => treesOfGrep(texts, true)],
  ["ag", treesOfAg],
  ["ack", (texts) => treesOfAg(["-a", ...texts])],
  ...entriesForNames("find gfind", (texts: readonly string[]) => treesOfFind(texts, goesBelow)),
  ...entriesForNames("fd fdfind", (texts: readonly string[]) => treesOfFd(texts, goesBelow)),
  ...entriesForNames("tar gtar bsdtar", treesOfTar),
  ["zip", treesOfZip],
  ...entriesForNames("7z 7za 7zr 7zz", treesOf7z),
  ["cp", treesOfCp],
  ...entriesForNames("install ln", treesOfInstall),
  ["rsync", treesOfRsync],
  ["scp", treesOfScp],
  ...entriesForNames("diff colordiff", treesOfDiff),
  ["rm", createRecursiveReader(["-r", "-R", "--recursive"])],
  ...entriesForNames("gzip gunzip", createRecursiveReader(["-r", "--recursive"])),
  ...entriesForNames("chmod chown chgrp", createRecursiveReader(["-R", "--recursive"], true)),
  ["mv", treesOfMv],
]);

/** Programs that affect a folder but not its content. The words of a loop count where they are used. */
const folderOnlyPrograms = new Set(
  "cd pushd popd mkdir rmdir touch tree echo printf test type [ [[ git for select".split(" "),
);

/** Programs that show or pack a folder only with an option. */
const optionallyRecursive = new Set("gunzip gzip pax sdiff vimdiff zstd".split(" "));

/** Whether the program may go through a folder given to it, as far as nothing is known against it. `treesOfCommand` has the listed programs. */
export function mayEnterFolders(program: string, texts: readonly string[]): boolean {
  if (optionallyRecursive.has(program)) return texts.some((text) => /^-[A-Za-z]*[rRw]|^--r/u.test(text));
  if (folderOnlyPrograms.has(program) || program === "rg" || treeReaders.has(program) || isShowingProgram(program))
    return false;
  return readOnlyProgram(program) === undefined;
}

/** Whether these words, given a folder, may affect everything in it. */
export function goesBelow(words: readonly string[]): boolean {
  const program = programName(certainWord(words[0] ?? "")) ?? "";
  const texts = words.slice(1);
  return mayEnterFolders(program, texts) || treesOfCommand(program, [...texts, "x"], false, () => true).length > 0;
}

/** `isFed`: its input is another command's output. */
export function treesOfCommand(
  program: string,
  texts: readonly string[],
  isFed: boolean,
  isPath: (text: string) => boolean,
): Tree[] {
  if (program === "git") return treesOfGit(texts, isPath);
  if (program === "rg") return treesOfRg(texts, isFed);
  if (isPython(program)) return treesOfPython(texts);
  return treeReaders.get(program)?.(texts) ?? treesOfHandedFolders(program, texts);
}
