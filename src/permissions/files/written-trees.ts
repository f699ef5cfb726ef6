/** What git and programs that pack and unpack write or remove: named files, and everything below named folders. */

import { parseWords, parseProgramWords, hasOption, valuesOfOption, type Operands } from "../options/operands.ts";
import { gitCommand } from "../options/program-options.ts";
import { hasOptionOrAbbreviation, matchesOptionName } from "../options/running-options.ts";
import { unzipExclusionIndexes, mayTakeNext, zipPlaceIndexes } from "./shown-words.ts";
import { anythingBelow, transferToLast, withContent, pathsInTarget } from "./written-paths.ts";

/** For these, an option's value may look like a folder: a branch. */
const folderCreatingCommands = new Set(["clone", "init", "worktree"]);

/** `texts` begin with git's command, without git's own options. If a branch and a file have the same name, both are meant. */
export function writtenByGit([command = "", ...words]: readonly string[]): string[] {
  const end = words.indexOf("--");
  const paths = words.filter((word, index) => !word.startsWith("-") || (end >= 0 && index > end));
  const read = parseWords(words, gitCommand(command));
  const changed = pathsChangedByGit(command, folderCreatingCommands.has(command) ? read.operands : paths, read);
  const settings = command === "config" ? configFilesWritten(words) : [];
  return [
    ...outputPaths(command, words),
    ...settings,
    ...changed,
    ...withContent(valuesOfOption(read, "--separate-git-dir")),
  ];
}

/** The files that it is told to write its output to. */
function outputPaths(command: string, words: readonly string[]): string[] {
  const isShort = command === "archive" || command === "format-patch";
  const option = isShort ? /^(?:-o|--out(?!put-i)[a-z-]*(?:=|$))(.*)$/su : /^--out(?!put-i)[a-z-]*(?:=|$)(.*)$/su;
  return withContent(optionValuesIn(option, words));
}

/** The option's value, in its own word or the next. */
function optionValuesIn(option: RegExp, words: readonly string[]): string[] {
  const values = words.map((word, index) => {
    const found = option.exec(word);
    return found === null ? "" : found[1] || (words[index + 1] ?? "");
  });
  return values.filter((path) => path !== "");
}

/** Another file than git's own, unless it is only read; with nothing but a key, it is read. */
function configFilesWritten(words: readonly string[]): string[] {
  const files = optionValuesIn(/^(?:-f|--fil?e?(?:=|$))(.*)$/su, words);
  const fileNames = words.filter((word) => !word.startsWith("-") && !files.includes(word));
  const isEdited = words.some((word) => /^(?:-e|edit|--(?:add|ed|re|unset).*)$/u.test(word));
  const isRead =
    words.some((word) => /^(?:--get.*|--list|-l)$/u.test(word)) || /^(?:get|list)$/u.test(fileNames[0] ?? "");
  return isEdited || (!isRead && fileNames.length > 1) ? files : [];
}

function pathsChangedByGit(command: string, paths: readonly string[], read: Operands): string[] {
  switch (command) {
    case "merge-file":
      return hasOption(read, "-p", "--stdout") ? [] : paths.slice(0, 1);
    case "rm":
      return hasOption(read, "--cached") ? [] : withContent(paths);
    case "mv":
      return [...withContent(paths), ...withContent(pathsInTarget(transferToLast(paths)))];
    case "checkout":
      return hasOption(read, "-b", "-B", "--orphan") ? [] : withContent(paths);
    case "restore":
      return hasOption(read, "--staged", "-S") && !hasOptionOrAbbreviation(read, "--worktree", "-W")
        ? []
        : withContent(paths);
    case "clone":
      return withContent(paths.slice(1, 2));
    case "init":
      return withContent(paths);
    case "bundle":
      return paths[0] === "create" ? paths.slice(1, 2) : [];
    case "submodule":
      return paths[0] === "add" ? withContent(paths.slice(2)) : [];
    // The name is a path below git's folder, and may lead out of it.
    case "symbolic-ref":
      return paths
        .slice(0, -1)
        .filter((name) => name.includes(".."))
        .map((name) => `.git/${name}`);
    case "worktree":
      if (paths[0] === "add") return withContent(paths.slice(1, 2));
      return paths[0] === "move" || paths[0] === "remove" ? withContent(paths.slice(1)) : [];
    default:
      return [];
  }
}

/** Options may be in the first word without a hyphen, and long ones may be abbreviated. */
export function writtenByTar(texts: readonly string[]): string[] {
  const letters = texts.map((text, index) => optionLetters(text, index === 0));
  const hasLetter = (wanted: RegExp): boolean => letters.some((each) => wanted.test(each));
  const has = (...names: string[]): boolean => texts.some((text) => matchesOptionName(text, names));
  const isOption = (text: string, index: number): boolean => text.startsWith("-") || letters[index] !== "";
  const archives = tarOptionValues(texts, letters, { letter: "f", name: "--file" });
  const folders = [
    ...tarOptionValues(texts, letters, { letter: "C", name: "--directory" }),
    ...texts.flatMap((text) => /^--one-top-level=(.+)$/su.exec(text)?.[1] ?? []),
  ];
  const members = texts.filter((text, index) => !isOption(text, index) && !archives.includes(text));
  const lists = tarOptionValues(texts, letters, { letter: "", name: "--index-file" });
  // A letter may belong to another one's value, as in -Ixz.
  const unpacks = hasLetter(/x/u) || has("--extract", "--get");
  const packs =
    hasLetter(/[cruA]/u) || has("--create", "--append", "--update", "--concatenate", "--catenate", "--delete");
  const [first = "", ...rest] = texts;
  const { givenOptions } = parseProgramWords("tar", [first.replace(/^(?=[A-Za-z])/u, "-"), ...rest]);
  const isShown = givenOptions.some(
    ({ name, at }) => matchesOptionName(name, ["-O", "--to-stdout"]) && !mayTakeNext("tar", texts.slice(0, at)),
  );
  const found = unpacks && !isShown ? unpackedPaths(folders.length === 0 ? ["."] : folders, members) : [];
  if (!packs) return [...lists, ...found];
  const snapshots = tarOptionValues(texts, letters, { letter: "g", name: "--listed-incremental" });
  const removed = has("--remove-files") ? [...members, ...pathsInTarget({ sources: members, targets: folders })] : [];
  return [...lists, ...found, ...archives, ...snapshots, ...withContent(removed)];
}

/** The option letters of a word. After a hyphen, the rest after a letter that always takes a value is that value. */
function optionLetters(text: string, isFirst: boolean): string {
  const bundle = /^-(?!-)([^bCfTX]*.?)/su.exec(text)?.[1];
  return bundle ?? (isFirst && /^[A-Za-z]+$/u.test(text) ? text : "");
}

/** Letters that may take a value; this differs between systems. Without a hyphen, the value may be the next word, or follow in order. */
const lettersWithValue = /[bCfFgHIKLNTVX]/gu;

/** Values after the letter or in the next word, or after the name and `=` or in the next word. */
function tarOptionValues(
  texts: readonly string[],
  letters: readonly string[],
  { letter, name }: { letter: string; name: string },
): string[] {
  return texts.flatMap((text, index) => {
    const equals = text.indexOf("=");
    if (equals > 0 && matchesOptionName(text.slice(0, equals), [name])) return [text.slice(equals + 1)];
    const own = letters[index] ?? "";
    const at = letter === "" ? -1 : own.indexOf(letter);
    if (at < 0 && !matchesOptionName(text, [name])) return [];
    const isBundle = !text.startsWith("-");
    const rest = isBundle || at < 0 ? "" : text.slice("-".length + at + 1);
    const before = isBundle ? (own.slice(0, at).match(lettersWithValue)?.length ?? 0) : 0;
    const values = rest === "" ? [texts[index + 1] ?? "", texts[index + 1 + before] ?? ""] : [rest];
    return [...new Set(values)].filter((value) => value !== "");
  });
}

/** Options of two letters, and others that may take the next word. */
const zipOptionWithValue = /^-(?:lf|tt|TT|UN|\w*Z)$|^--(?:compression-m|logfile-p|unicode|unzip-c)[a-z-]*$/u;

/** Includes the files it packs, if they are removed. */
export function writtenByZip(texts: readonly string[]): string[] {
  const read = parseProgramWords("zip", texts);
  const valueCount = texts.filter((text) => zipOptionWithValue.test(text)).length;
  // The letter of `-s 10m` may also belong to another option.
  const operands = [read.operandIndexes, zipPlaceIndexes(texts)];
  const count = 1 + Math.max(valueCount, hasOption(read, "-s") ? 1 : 0);
  const archives = operands.flatMap((places) => places.slice(0, count).map((at) => texts[at] ?? ""));
  const packed = hasOptionOrAbbreviation(read, "-m", "--move") ? read.operands : [];
  return [...archives, ...valuesOfOption(read, "-O", "--out", "--output-file"), ...withContent(packed)];
}

export function writtenBy7z(texts: readonly string[]): string[] {
  const [command = "", archive = "", ...members] = texts.filter((text) => !text.startsWith("-"));
  const folders = texts.flatMap((text) => /^-o(.+)$/su.exec(text)?.[1] ?? []);
  const others = texts.flatMap((text) => /^-u[^!]*!(.+)$/su.exec(text)?.[1] ?? []);
  const isShown = texts.includes("-so") || !/^[ex]$/iu.test(command);
  const found = isShown ? [] : unpackedPaths(folders.length === 0 ? ["."] : folders, members);
  return [...withContent([...folders, ...others]), ...found, ...(/^(?:[adu]|rn)$/iu.test(command) ? [archive] : [])];
}

/** The rest after `d` is the folder, whatever letters it contains; the rest after `P` is the password. */
const unzipFolderOption = /^-(?:(?!P)[A-Za-z])*?d(.*)$/su;
const unzipShowOption = /^-(?:(?!P)[A-Za-z])*[lptvZ]/u;

export function writtenByUnzip(texts: readonly string[]): string[] {
  const at = texts.findIndex((text) => unzipFolderOption.test(text));
  if (texts.some((text, index) => index !== at && unzipShowOption.test(text))) return [];
  const attached = unzipFolderOption.exec(texts[at] ?? "")?.[1] ?? "";
  const folder = at < 0 ? "." : attached === "" ? (texts[at + 1] ?? ".") : attached;
  const isFolder = (index: number): boolean => at >= 0 && attached === "" && index === at + 1;
  const left = unzipExclusionIndexes(texts);
  const [, ...members] = texts.filter(
    (text, index) => !text.startsWith("-") && !isFolder(index) && !left.includes(index),
  );
  return unpackedPaths([folder], members);
}

/** The content of an archive is unknown, but the members that are named are not. */
function unpackedPaths(folders: readonly string[], members: readonly string[]): string[] {
  return folders.flatMap((folder) => [
    folder + anythingBelow,
    ...withContent(members.map((member) => `${folder}/${member}`)),
  ]);
}
