/** The words of a command that programs for files write to, remove or move away: for rules that guard, whatever permits the command. */
import { programOf, type PlausibleCommand } from "./shell-unwrap.ts";
import { wholly, within } from "./written-paths.ts";
import { writtenByGit, writtenByTar, writtenByUnzip } from "./written-trees.ts";

type Reader = (operands: readonly string[], options: readonly string[]) => string[];

const each: Reader = (operands) => [...operands];
const removed: Reader = (operands) => wholly(operands);

const into = /^(?:-[A-Za-z]*t|--target-directory=?)(.*)$/su;

/** The last one is the new name, or the folder it goes to. */
const copied: Reader = (operands) => within(operands.slice(-1), operands.slice(0, -1));

/** Unless an option names that. */
const placed: Reader = (operands, options) => {
  const given = valuesOf(options, into);
  return given.length > 0 ? within(given, operands) : copied(operands, options);
};

const moved: Reader = (operands, options) => [...placed(operands, options), ...removed(operands, options)];

const inPlace =
  (option: RegExp): Reader =>
  (operands, options) =>
    options.some((text) => option.test(text)) ? [...operands] : [];

const named =
  (option: RegExp): Reader =>
  (_operands, options) =>
    valuesOf(options, option);

const output = named(/^(?:-[A-Za-z]*o|--output=?)(.*)$/su);

const programs = new Map<string, Reader>([
  ...["tee", "touch", "mkdir", "mkfifo", "mknod", "truncate", "chmod", "chown", "chgrp", "patch"].map(
    (name): [string, Reader] => [name, each],
  ),
  ...["rm", "rmdir", "unlink", "shred"].map((name): [string, Reader] => [name, removed]),
  ...["cp", "install", "ln"].map((name): [string, Reader] => [name, placed]),
  ...["rsync", "scp"].map((name): [string, Reader] => [name, copied]),
  ["mv", moved],
  ["sed", inPlace(/^(?:-[A-Za-z]*i|--in-place)/u)],
  ["gsed", inPlace(/^(?:-[A-Za-z]*i|--in-place)/u)],
  ["perl", inPlace(/^-[0pnwlase]*i/u)],
  ["ruby", inPlace(/^-[0pnwlase]*i/u)],
  ["sort", output],
  ["curl", output],
  ["wget", named(/^(?:-[A-Za-z]*O|--output-document=?)(.*)$/su)],
  ["dd", (operands) => operands.filter((text) => text.startsWith("of=")).map((text) => text.slice("of=".length))],
]);

/** Of these the order of the words counts. */
const ordered = new Map<string, (texts: readonly string[]) => string[]>([
  ["git", writtenByGit],
  ...["tar", "gtar", "bsdtar"].map((name): [string, typeof writtenByTar] => [name, writtenByTar]),
  ["unzip", writtenByUnzip],
]);

export function writtenWords({ words, isIdle }: PlausibleCommand): string[] {
  const program = programOf(words[0]) ?? "";
  const [read, readOrdered] = [programs.get(program), ordered.get(program)];
  if (isIdle || (read === undefined && readOrdered === undefined)) return [];
  const texts = words.slice(1).map(({ text }) => text);
  if (read === undefined) return readOrdered?.(texts) ?? [];
  const end = texts.indexOf("--");
  const beforeEnd = end < 0 ? texts : texts.slice(0, end);
  const operands = [...beforeEnd.filter((text) => !isOption(text)), ...(end < 0 ? [] : texts.slice(end + 1))];
  return read(operands, beforeEnd);
}

function isOption(text: string): boolean {
  return text.startsWith("-") && text !== "-";
}

/** What stands in the option itself, or else in the word behind it. */
function valuesOf(words: readonly string[], option: RegExp): string[] {
  return words.flatMap((word, index) => {
    const found = option.exec(word);
    if (found === null) return [];
    const value = found[1] === "" ? words[index + 1] : found[1];
    return value === undefined ? [] : [value];
  });
}
