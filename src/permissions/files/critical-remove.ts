/** Finds `rm` and `rmdir` of what nobody means to remove. That is never approved without a person, whatever the mode. */
import { dirname, isAbsolute, parse, resolve } from "node:path";
import { hasHole, type ValueOf } from "../shell/fill.ts";
import { textsOf, type Word } from "../shell/text.ts";
import { programName, type PlausibleCommand } from "../shell/unwrap.ts";
import { createFillBudget, fillCommandForms, shellValues } from "../shell/values.ts";
import { createValueLookup } from "../shell/value-lookup.ts";
import type { CommandReading } from "../shell/words.ts";
import { runsOtherCommands } from "../shell/wrappers.ts";
import { isFind, isRemovingFind, otherRemovals } from "./removed-words.ts";
import { folderForms, pathForms, placeIn, type PathReader } from "../paths/path-forms.ts";

export interface RemovePlaces {
  cwd: string;
  home: string;
  /** All working directories of the session. */
  folders: readonly string[];
  reader: PathReader;
}

const folderContentForm = /^(.*?)\/?(?:(?<!\*)\*+|\.\*|\.\[!?\^?\.\]\*|\{[*.,]+\})\/*$/su;
const variable = /\$(?:\w+|\{[^}]*\}|\()/u;
const homeVariable = /^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/u;
/** Another user's home, or everything in it. */
const otherHome = /^(~[a-z_][\w-]*)(?:\/+(?:\.|\*)*)?$/iu;
/** The current folder, or the previous one. */
const currentOrPreviousFolder = /^(?:~[+-]|\$(?:OLD)?PWD|\$\{(?:OLD)?PWD\}|\$\(pwd\)|`pwd`)(?=\/|$)/u;
const previousFolderForm = /^(?:~-|\$OLDPWD|\$\{OLDPWD\})$/u;
const shownVariable = /\$(?:(\w+)|\{(\w+)(?::?\?[^}]*)?\})/gu;

/** The critical target as written, or null if none is named. */
export function criticalRemove(reading: CommandReading, source: string, places: RemovePlaces): string | null {
  const isSure = reading.commands.every(({ words: [program] }) => program?.unsure === undefined);
  if (isSure && !reading.commands.some((each) => isRemove(each) || isRemovingFind(each))) return null;
  const commands = withKnownValues(reading, source, places);
  const removes = commands.filter(isRemove);
  const starts = [...new Set([places.cwd, ...visitedFolders(commands, places.cwd, places.home)])];
  const words = [
    ...removes.flatMap(({ words: [, ...rest] }) => textsOf(rest)),
    ...otherRemovals(commands, reading.rawCommands, removes),
  ];
  // An empty name removes nothing.
  const operands = [...new Set(words)].filter((text) => text !== "" && !/^-[A-Za-z-]/u.test(text));
  const limit = starts.length > fewFolders ? maxMentions : maxRemoved;
  if (operands.length * starts.length > limit) throw new Error(tooMany);
  const left = foldersLeftBehind(commands, places);
  const isNamed = (text: string): boolean =>
    isOtherHome(text, source) ||
    (left !== undefined && previousFolderForm.test(text)
      ? left.some((folder) => isCritical(folder, places.cwd, places))
      : starts.some((start) => isCritical(text, start, places)));
  return operands.find(isNamed) ?? null;
}

/** What the line may have left with a final `cd` back, as in `cd $(mktemp -d) && make && cd - && rm -rf $OLDPWD`; else undefined. */
function foldersLeftBehind(commands: readonly PlausibleCommand[], { cwd, home }: RemovePlaces): string[] | undefined {
  const moves = commands.filter(isFolderChange);
  const onwards = moves.filter((move) => !goesBack(move));
  const isOnceAtLast = onwards.length > 0 && onwards.length === moves.length - 1 && goesBack(moves.at(-1));
  return isOnceAtLast ? visitedFolders(onwards, cwd, home) : undefined;
}

function isFolderChange({ words: [program] }: PlausibleCommand): boolean {
  return ["cd", "pushd"].includes(programName(program) ?? "");
}

function goesBack(move: PlausibleCommand | undefined): boolean {
  const folder = move?.words[1]?.text ?? "";
  return folder === "-" || previousFolderForm.test(folder);
}

function isRemove({ words }: PlausibleCommand): boolean {
  // An unknown word may run what follows it: `$SUDO rm`.
  const program = words.find(({ unsure }) => unsure === undefined);
  return ["rm", "rmdir"].includes(programName(program) ?? "");
}

/** The commands as written, and with the line's own variables filled in as far as they are known. */
function withKnownValues({ commands, rawCommands }: CommandReading, source: string, { cwd, home }: RemovePlaces) {
  const open = new Set(commands.filter(({ words }) => words.some(({ unsure }) => unsure !== undefined)));
  if (open.size === 0) return commands;
  const { knownValues, manyValues } = shellValues(rawCommands, source, home, [cwd]);
  const valuesAt = createValueLookup(rawCommands, source, knownValues);
  const budget = createFillBudget();
  // The first word stays the program, whatever it is.
  const isKept = ({ text }: Word, at: number): boolean => at === 0 || !hasHole(text);
  return commands.flatMap((command) => {
    if (!open.has(command)) return [command];
    const found = valuesAt(command.words[0]);
    const isUnknown = (name: string): boolean => found(name).values?.some((value) => !hasHole(value)) !== true;
    const manyIfUnknown: ValueOf = (name) => (isUnknown(name) ? manyValues(name) : undefined);
    const filled = valuesInTurn(command, manyIfUnknown).flatMap(({ name, value }) =>
      fillCommandForms(command, (each) => (each === name ? [value] : found(each).values), budget),
    );
    // Without a folder, `find` would start in the current one.
    const all = isFind(command) ? filled : filled.map((each) => ({ ...each, words: each.words.filter(isKept) }));
    // A variable that certainly is not empty need not be treated as possibly empty.
    const [program, ...rest] = command.words.map((word) => isFullyKnown(word, (name) => found(name).isSet));
    // In `GIT="git -C x"; $GIT rm .`, the rm is git's.
    const isOthers = command.words[0]?.unsure !== undefined && all.every(({ words: [first] }) => isKnownProgram(first));
    const isTold = command.words[0]?.unsure === undefined && rest.every(Boolean) && !command.words.some(namesOtherHome);
    return (program === true && isOthers) || isTold ? all : [command, ...all];
  });
}

/** The values of a variable that has too many for all of them to be filled in at once. The empty name: there is none. */
function valuesInTurn({ words }: PlausibleCommand, manyValues: ValueOf): { name: string; value: string }[] {
  const names = new Set(
    words.flatMap(({ text, unsure }) =>
      unsure === undefined ? [] : [...text.matchAll(/\$\{?(\w+|[@*])/gu)].map(([, name = ""]) => name),
    ),
  );
  const found = [...names].flatMap((name) => (manyValues(name) ?? []).map((value) => ({ name, value })));
  return found.length > 0 ? found : [{ name: "", value: "" }];
}

function namesOtherHome({ text }: Word): boolean {
  return /^~\w/u.test(text);
}

/** Whether the program is known and does not run others. */
function isKnownProgram(program: Word | undefined): boolean {
  const name = programName(program) ?? "";
  return name !== "" && !runsOtherCommands(name);
}

function isFullyKnown({ text, unsure }: Word, isSet: (name: string) => boolean): boolean {
  const rest = text.replaceAll(shownVariable, (shown, name?: string, braced?: string) =>
    isSet(name ?? braced ?? "") ? "" : shown,
  );
  return unsure === undefined || !/[$`]/u.test(rest);
}

/** If there are more, none is skipped: the check fails, and so does the call. */
export const maxMentions = 2_000;
export const tooMany = "the command names too many files to check";
/** With few folders the work only grows with the line, and many files may be removed by name. */
const fewFolders = 4;
const maxRemoved = 20_000;
/** Characters of a folder's path; no system accepts longer ones. */
const maxPathLength = 4_096;

/** The folders `cd` may have led to, each relative to where the one before may have led. Throws if there are too many. */
export function visitedFolders(commands: readonly PlausibleCommand[], cwd: string, home: string): string[] {
  const moves = commands.filter(isFolderChange);
  let place = cwd;
  const visited = new Set<string>();
  for (const { words } of moves) {
    const target = words.slice(1).find((word) => !word.text.startsWith("-"))?.text ?? home;
    const written = target.replace(homeVariable, home);
    place = resolve(place, written);
    visited.add(place).add(resolve(cwd, written));
    if (place.length > maxPathLength || visited.size > maxMentions) throw new Error(tooMany);
  }
  return [...visited];
}

const variableOnly = /^\$(?:\w+|\{[^}]*\}|\([^)]*\))\/?\**\/*$/u;
/** If such a variable is empty, the shell exits here. HOME, PWD and OLDPWD do not match: nobody ever means to remove what they hold. */
const neverEmpty = /^\$\{(?!(?:HOME|PWD|OLDPWD):)\w+:\?/u;

/** In quotes, a tilde is part of a file's name. */
function isOtherHome(text: string, source: string): boolean {
  const name = otherHome.exec(text)?.[1];
  if (name === undefined) return false;
  return source.split(name).some((before, at, all) => at < all.length - 1 && !/["'\\]$/u.test(before));
}

function isCritical(operand: string, start: string, places: RemovePlaces): boolean {
  const text = operand.replace(homeVariable, places.home).replace(currentOrPreviousFolder, ".");
  const inside = folderContentForm.exec(text)?.[1];
  // An empty variable turns `$X/*` into the whole disk.
  if (variable.test(text)) return !neverEmpty.test(text) && variableOnly.test(text) && text.includes("/");
  const target = inside === undefined ? text : inside === "" && text.startsWith("/") ? "/" : inside;
  const path = placeIn(start, target === "" ? "." : target);
  // A folder named by its absolute path may be removed, even if the line was in it before.
  const here = isAbsolute(target) ? places.cwd : start;
  return pathForms(path, places.reader).forms.some((form) => isCriticalFolder(form, here, places));
}

function isCriticalFolder(path: string, start: string, places: RemovePlaces): boolean {
  const root = parse(path).root;
  if (path === root || dirname(path) === root) return true;
  const folders = [start, places.home, ...places.folders].flatMap((folder) => folderForms(folder, places.reader));
  return folders.some((folder) => folder === path || folder.startsWith(`${path}/`));
}
