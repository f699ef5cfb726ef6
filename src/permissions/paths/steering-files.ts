/** Single files anywhere that a session takes instructions from or starts by itself, as named in its settings and flags. */
import { closeSync, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { statusOf } from "../../lib/path-status.ts";
import { isProgram } from "../../lib/is-program.ts";
import { isRecord } from "../../lib/is-record.ts";
import { foldCase } from "../../lib/path-pattern.ts";
import { isInside, isThere, pathForms, type PathForms, type PathReader } from "./path-forms.ts";
import type { ShellWord } from "../shell/step.ts";
import type { Protection } from "./protected-paths.ts";

export interface SteeringFile {
  /** The absolute path as it is named. */
  path: string;
  /** `never`: the file decides what is permitted. `guarded`: it is started by itself, and a rule may allow writing it. */
  level: "never" | "guarded";
  /** How a question names the file. */
  name: string;
  /** The file is given to the model; if it is a folder, so is each Markdown file below it. */
  isGivenToModel?: boolean;
}

export interface CommandPlace {
  /** The folder that relative names start from. Absolute. */
  cwd: string;
  home: string;
  /** Variables that stand for folders, such as `CLAUDE_PROJECT_DIR`. */
  variables: Readonly<Record<string, string>>;
}

/** Such files by path, case-folded as some disks do: as named and where links lead, whether or not they exist. */
export type SteeringPlaces = ReadonlyMap<string, SteeringFile>;

export function steeringPlaces(files: readonly SteeringFile[], reader: PathReader): SteeringPlaces {
  const places = new Map<string, SteeringFile>();
  for (const file of files)
    for (const form of pathForms(file.path, reader).forms) {
      const key = foldCase(form);
      if (places.get(key)?.level !== "never") places.set(key, file);
    }
  return places;
}

export function steeringProtection(path: string, places: SteeringPlaces): Protection {
  const key = foldCase(path);
  const own = places.get(key);
  if (own !== undefined || !key.endsWith(".md")) return own ?? null;
  for (let at = key.lastIndexOf("/"); at > 0; at = key.lastIndexOf("/", at - 1)) {
    const above = places.get(key.slice(0, at));
    if (above?.isGivenToModel === true) return above;
  }
  return null;
}

/** Whether `mv` moves a folder that such a file is in, or to a place where it would have one. An existing target folder stays in place. */
export function movesSteeringFiles(
  words: readonly ShellWord[],
  word: ShellWord,
  { forms }: PathForms,
  { steering, reader }: { steering: () => SteeringPlaces; reader: PathReader },
): boolean {
  const [folder = ""] = forms;
  if (words[0]?.text !== "mv" || (word === words.at(-1) && isThere(folder, reader))) return false;
  const moved = forms.map(foldCase);
  return [...steering().keys()].some((path) => moved.some((form) => form !== path && isInside(form, path)));
}

/** The programs and scripts (absolute paths) in a value that contains commands, such as the `hooks` of a settings file. */
export function programsInCommands(value: unknown, place: CommandPlace): string[] {
  if (Array.isArray(value)) return value.flatMap((each: unknown) => programsInCommands(each, place));
  if (!isRecord(value)) return [];
  const { command, args } = value;
  const argumentWords = Array.isArray(args) ? args.filter((word) => typeof word === "string") : [];
  const own = typeof command === "string" ? commandsIn(command) : [];
  own.at(-1)?.push(...argumentWords);
  const below = Object.values(value).flatMap((each) => programsInCommands(each, place));
  let folders = [place.cwd];
  const run = own.flatMap((written) => {
    const words = written.flatMap((word) => splitPlainWord(word, folders, place));
    const paths = programsIn(words, folders, place);
    const [first = "", to] = words;
    if (/^(?:cd|pushd)$/u.test(first) && to !== undefined) {
      // If there are many, only the likeliest: where the line starts, and the last one it entered.
      const from = folders.length < maxFolders ? folders : [place.cwd, ...folders.slice(-1)];
      const entered = from.map((folder) => resolve(folder, fillVariables(to, place)));
      folders = [...new Set([...folders, ...entered])];
    }
    return paths;
  });
  return [...run, ...below];
}

/** Every word is looked up in each of these. Beyond this number, not every further path is followed. */
const maxFolders = 16;
const ownFolderSubstitution =
  /\$\((?:pwd|git rev-parse --show-toplevel)\)|\x60(?:pwd|git rev-parse --show-toplevel)\x60/gu;

/** The words of each command. Quoted text is not split into further commands: it is mostly a pattern. */
function commandsIn(text: string): string[][] {
  const commands: string[][] = [[]];
  const command = text.replace(ownFolderSubstitution, "$PWD");
  for (const [, operator, word = ""] of command.matchAll(/([;|&\n]+)|((?:"[^"]*"|'[^']*'|[^\s;|&])+)/gu))
    if (operator !== undefined) commands.push([]);
    else commands.at(-1)?.push(word.replace(/["']/gu, ""));
  return commands;
}

/** `plain` has no quotes. A word with blanks is the name of an existing file, or a text with commands of its own. */
function splitPlainWord(plain: string, folders: readonly string[], place: CommandPlace): string[] {
  const existsIn = (folder: string): boolean => statusOf(resolve(folder, fillVariables(plain, place))) !== undefined;
  if (plain.startsWith("-") || (/\s/u.test(plain) && folders.some(existsIn))) return [plain];
  const parts = plain.split(/[\s`()<>=]+/u);
  return parts.filter((part) => part !== "");
}

/** Programs that run the file they are given next. */
const runnerProgram =
  /^(?:.*\/)?(?:(?:ba|da|z|k|a|fi|c|tc|mk)?sh|node|deno|bun|tsx|ts-node|(?:python|pypy)[\d.]*|ruby|perl|php|lua|java|Rscript|pwsh|env|exec|source)$/u;
/** Options of these programs that take the next word as their value. */
const runnerOptionWithValue =
  /^(?:-(?:\w*o|[rWXIP])|--(?:require|import|loader|project|directory|tsconfig|config|env-file|with|python))$/u;
/** Words that a command follows. */
const commandLeaders = new Set([".", "!", "{", "if", "then", "do", "else", "elif", "while", "until", "time"]);

/** What precedes a word that is run. `script`: the name of an npm script or the like, or of a file. */
type PrecedingWord = "nothing" | "runner" | "script";

/** The program files of one command. Its other words are data, such as a file to format. */
function programsIn(words: readonly string[], folders: readonly string[], place: CommandPlace): string[] {
  let before: PrecedingWord | undefined = "nothing";
  return words.flatMap((word, at) => {
    const filled = fillVariables(word, place);
    const paths = [...new Set(folders.map((folder) => resolve(folder, filled)))];
    const last = before;
    // A condition may begin with an option; a command never does.
    const isOption = word.startsWith("-") || runnerOptionWithValue.test(words[at - 1] ?? "");
    const isBetween = commandLeaders.has(word) || (isOption && last !== "nothing");
    before = word === "run" ? "script" : runnerProgram.test(word) ? "runner" : isBetween ? before : undefined;
    return paths.filter((path) => (last !== undefined && isFileToRun(path, filled, last)) || isScript(path));
  });
}

/** Fills in variables. An unknown variable before a slash is taken as the folder, which it mostly is. */
function fillVariables(word: string, { cwd, home, variables }: CommandPlace): string {
  return word
    .replace(/^~(?=\/|$)|\$HOME\b|\$\{HOME\}/gu, () => home)
    .replace(
      /\$(?:\{(\w+)(?:[:?+-][^{}]*)?\}|(\w+))/gu,
      (all: string, braced: string | undefined, bare: string | undefined, at: number, whole: string) =>
        variables[braced ?? bare ?? ""] ?? (at === 0 && whole[all.length] === "/" ? cwd : all),
    );
}

/** A bare name means a program of the machine, unless it is given to a runner. A missing file may be created later. */
function isFileToRun(path: string, word: string, before: PrecedingWord): boolean {
  const found = statusOf(path);
  if (found === undefined) return before !== "script" && word.includes("/") && !word.endsWith("/");
  return found.isFile() && (word.includes("/") || before !== "nothing");
}

/** Whether the file is executable and starts like a program, since on some disks every file is executable. */
function isScript(path: string): boolean {
  if (!isProgram(path)) return false;
  try {
    const file = openSync(path, "r");
    try {
      const start = Buffer.alloc(4);
      readSync(file, start, 0, start.length, 0);
      return /^(?:#!|\x7fELF)/u.test(start.toString("latin1"));
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}
