/** A command line with its variables filled in: its commands, where they may run, and the words that could name files. */
import { resolve } from "node:path";
import { visitedFolders } from "./critical-remove.ts";
import { filesFound } from "./found-files.ts";
import { documentsRun } from "./handed-words.ts";
import { patchedWords } from "./patch-words.ts";
import { filledWord, hasHole, hole, inputHole, type ValueOf } from "../shell/fill.ts";
import { textsOf, type LexedCommand, type Word } from "../shell/text.ts";
import { programOf, type PlausibleCommand } from "../shell/unwrap.ts";
import { scriptWords } from "./script-words.ts";
import { usesIn, type WordUse } from "./spoken-words.ts";
import { filledCommands, shellValues, type ShellValues } from "../shell/values.ts";
import { isAssignment, keywords } from "../shell/wrappers.ts";
import { asMeant, type CommandReading } from "../shell/words.ts";
import { anythingBelow, sinks } from "./written-paths.ts";
import { writtenWords } from "./written-words.ts";

const maxPlaces = 20;

export interface Line {
  commands: PlausibleCommand[];
  /** Folders that it may run in, or that git is told to work in. */
  starts: string[];
  /** The same without the first one, unless something is told to work there, where all from the command with one number on up to another runs in the others. */
  surely: { from: number; to: number; starts: string[] };
  /** Any word could name a file that is read. */
  read: Set<string>;
  /** What they are to their programs; a file where it does not say. */
  uses: Map<string, WordUse>;
  /** Of these, what variables are set to for programs. */
  given: Set<string>;
  written: Set<string>;
  /** Of these, what redirections name. */
  redirected: { read: Set<string>; written: Set<string> };
  /** Of these words what they are patterns of is meant. */
  globs: Set<string>;
  /** The same where a variable may not be set. */
  presumed: { read: Set<string>; written: Set<string> };
}

/** `more`: commands that nobody wrote, but that run as well. */
export function lineOf(
  given: CommandReading,
  source: string,
  cwd: string,
  home: string,
  more: readonly Word[][],
): Line {
  const [reading, places] = [withoutLastMove(given, source), placesOfInput(source)];
  const all = reading.commands.map((command) => ({
    ...command,
    words: command.words.map((word) => holed(word, places)),
  }));
  const values = (starts: readonly string[]): ShellValues =>
    isTold(reading) ? nothingToFill : shellValues(reading.written, source, home, starts);
  const first = filled(all, values([cwd]).told);
  const led = foldersOf(first, cwd, home);
  const visited = [...new Set([cwd, ...led])];
  const { told, orUnset } = values(visited);
  const isSame = visited.length === 1 || !source.includes("PWD");
  const commands = [...(isSame ? first : filled(all, told)), ...more.map((words) => ({ words, isIdle: false }))];
  const trees = workTrees(reading.written, told, source);
  const starts = withTold(visited, commands, trees);
  const moved = isElsewhere(reading.written, source) && !led.includes(cwd) ? commands.findLastIndex(isMove) : -1;
  // Those that nobody wrote may run in front of it as well, where anything does.
  const to = moved > 0 ? commands.length - more.length : commands.length;
  const line: Line = {
    commands,
    starts,
    // From there a program may be told to work in the first one again.
    surely: { from: Math.max(0, moved), to, starts: moved < 0 ? starts : withTold(led, commands, trees) },
    read: new Set(commands.flatMap(readOf)),
    uses: usesIn(commands, reading, source),
    given: new Set(),
    written: new Set(commands.flatMap(writtenOf)),
    redirected: { read: new Set(), written: new Set() },
    globs: new Set(),
    presumed: { read: new Set(), written: new Set() },
  };
  for (const { words } of commands)
    for (const text of scriptWords(programOf(words[0]) ?? "", textsOf(words.slice(1))).read) line.uses.delete(text);
  for (const text of documentsRun(reading.written, source)) {
    line.read.add(text);
    if (!line.uses.has(text)) line.uses.set(text, "any");
  }
  const set = reading.written.flatMap((command) => variablesGiven(command, exporting.test(source)));
  for (const { text } of set.flatMap((word) => filledWord(holed(word, places), told).flat())) {
    line.read.add(text);
    line.given.add(text);
    if (!line.uses.has(text) && !hasHole(text)) line.uses.set(text, plainValue.test(text) ? "told" : "any");
  }
  redirect(line, reading.written, told, places);
  const around = { run: new Set(commands.map(({ words }) => programOf(words[0]))), made: line.written };
  for (const start of starts)
    for (const command of reading.written)
      for (const form of filledCommands({ words: command.words, isIdle: false }, told))
        for (const text of patchedWords({ ...command, words: form.words }, start, around)) line.written.add(text);
  const unset = orUnset === undefined ? [] : filled(all, orUnset);
  for (const text of unset.flatMap(operandsOf)) if (!line.read.has(text)) line.presumed.read.add(text);
  for (const text of unset.flatMap(writtenOf)) if (!line.written.has(text)) line.presumed.written.add(text);
  findPatterns(line, unset);
  return line;
}

const nothingToFill: ShellValues = { told: () => undefined };

function findPatterns({ commands, written, presumed, globs }: Line, more: readonly PlausibleCommand[]): void {
  for (const { words } of [...commands, ...more])
    for (const { text, unsure } of words) if (unsure === "files") globs.add(text);
  const below = [...written, ...presumed.written].filter((text) => isBelow(text, globs));
  for (const text of below) if (!isWhole(text, written) && !isWhole(text, presumed.written)) globs.add(text);
}

/** What happens to all of what a pattern finds is looked for with the folders that a program goes into. */
function isWhole(text: string, names: ReadonlySet<string>): boolean {
  return text.endsWith(anythingBelow) && names.has(text.slice(0, -anythingBelow.length));
}

/** What is written below what a pattern finds is named by no word. What another one finds, and is to go there, has other names. */
function isBelow(text: string, patterns: ReadonlySet<string>): boolean {
  for (let at = text.lastIndexOf("/"); at > 0; at = text.lastIndexOf("/", at - 1))
    if (patterns.has(text.slice(0, at)) || patterns.has(text.slice(0, at + 1))) return !/[*?[]/u.test(text.slice(at));
  return false;
}

/** All of its words are what they will be: most lines, for which no variable has to be looked for. */
function isTold({ commands, written }: CommandReading): boolean {
  const isSure = ({ text, unsure }: Word): boolean => unsure === undefined && !text.startsWith("~");
  return (
    commands.every(({ words }) => words.every(isSure)) &&
    written.every(({ words, redirects }) => words.every(isSure) && redirects.every(({ target }) => isSure(target)))
  );
}

function isMove({ words }: { words: readonly Word[] }): boolean {
  return ["cd", "pushd", "popd"].includes(programOf(words[0]) ?? "");
}

/** Nothing runs where the last one, with nothing behind it, leads; but for what the shell is told to do at its end. */
function withoutLastMove(reading: CommandReading, source: string): CommandReading {
  const before = /^(.*\S)\s*&&\s*cd\s+[\w./-]+\s*$/su.exec(source)?.[1]?.replace(quoted, "''");
  const isLast = before !== undefined && !parting.test(before) && !/\btrap\b/u.test(source);
  const [command, written] = [reading.commands.at(-1), reading.written.at(-1)];
  if (!isLast || command === undefined || written === undefined || !isMove(command) || !isMove(written)) return reading;
  return { ...reading, commands: reading.commands.slice(0, -1), written: reading.written.slice(0, -1) };
}

/** What is known to be one text. */
const quoted = /'[^']*'|"[^"$`\\]*"/gu;
/** What stands behind these may run although something failed, or elsewhere. */
const parting = /[;\n(){}`\\]|\|\||[^&>]&(?![&>])/u;

/** By these, set in the line, `cd` goes elsewhere than to the folder that it names. */
const steering = /(?<![${])\b(?:CDPATH|HOME|cdable_vars)\b/u;

/** It changes its folder once, and what stands behind that runs only where it has happened; all in a group at its end is as without it. */
function isElsewhere(written: readonly LexedCommand[], source: string): boolean {
  const moves = written.filter(isMove);
  const open = source.replace(quoted, "''").replace(/^((?:[^()]*&&)?\s*)\(([^()]*)\)\s*$/u, "$1$2");
  // Nobody knows where `cd -` leads.
  const isBack = moves.some(({ words }) => words.some(({ text }) => text === "-"));
  const isSteered = written.some(({ words }) => words.some(({ text }) => steering.test(text)));
  // What a shell is given to run in front of it is read behind it.
  const isFollowed = /^(?:[^|<]*&&)?\s*cd\s[^;&|()<>]*&&/u.test(open.replace(/"[^"]*"/gu, "''"));
  return moves.length === 1 && !isBack && !isSteered && isFollowed && !parting.test(open);
}

/** What `xargs` puts what it reads in the place of, also in a text that it gives a shell. */
function placesOfInput(source: string): string[] {
  if (!/\b(?:xargs|parallel)\b/u.test(source)) return [];
  return ["{}", ...[...source.matchAll(/\s-[0oprtx]*[IJ]\s*["']?([^\s"']+)/gu)].map(([, place = ""]) => place)];
}

function holed(word: Word, places: readonly string[]): Word {
  const place = word.unsure === undefined ? places.find((each) => word.text.includes(each)) : undefined;
  if (place === undefined) return word;
  const at = word.text.indexOf(place);
  return { text: word.text.replaceAll(place, inputHole), known: at, unsure: "value", tail: at + 1 };
}

function filled(commands: readonly PlausibleCommand[], valueOf: ValueOf): PlausibleCommand[] {
  return commands.flatMap((command) => filledCommands(command, valueOf)).flatMap(asMeant);
}

/** From there programs are taken, as where their place is named. */
const placesOfPrograms = /^PATH\+?=/u;

function operandsOf({ words: [program, ...rest] }: PlausibleCommand): string[] {
  const isSetting = programOf(program) === "export";
  return textsOf(rest).filter((text) => !isSetting || !placesOfPrograms.test(text));
}

function readOf(command: PlausibleCommand): string[] {
  const texts = operandsOf(command);
  const [program] = command.words;
  return [...texts, ...scriptWords(programOf(program) ?? "", texts).read];
}

/** A word for a kind of thing, and hardly a folder that is gone through. */
const plainValue = /^\w+=[\w-]*$/u;
/** The shell's own variables are given to programs as well. */
const exporting = /\bexport\b|\ballexport\b|\b(?:set|declare|typeset)\s+-\w*[ax]/u;

/** `NAME=file` in front of a program, which finds it there as it would among its words. */
function variablesGiven({ words }: LexedCommand, isExporting: boolean): Word[] {
  const end = words.findIndex((word) => !isAssignment(word) && !keywords.has(word.text));
  const isAlone = end < 0;
  if (isAlone && !isExporting) return [];
  return words
    .slice(0, isAlone ? words.length : end)
    .filter((word) => isAssignment(word) && !placesOfPrograms.test(word.text));
}

/** Where `cd` may have gone, whatever a pattern finds for it. */
function foldersOf(commands: readonly PlausibleCommand[], cwd: string, home: string): string[] {
  const isOpen = ({ words }: PlausibleCommand): boolean =>
    ["cd", "pushd"].includes(programOf(words[0]) ?? "") && words.some(({ unsure }) => unsure === "files");
  const patterns = commands.filter(isOpen);
  if (patterns.length === 0) return visitedFolders(commands, cwd, home);
  const others = commands.filter((command) => !isOpen(command));
  let places = [cwd, ...visitedFolders(others, cwd, home)];
  for (const { words } of patterns) {
    const pattern = words.find(({ unsure }) => unsure === "files")?.text ?? "";
    const found = places.flatMap((place) => filesFound(resolve(place, pattern)) ?? [hole]);
    const kept = found.length > maxPlaces ? [resolve(cwd, hole)] : found;
    places = [...new Set([...places, ...kept, ...kept.flatMap((place) => visitedFolders(others, place, home))])];
  }
  return places;
}

/** What a program may do of which only the shell knows the name, it may do to all that it is given. */
function writtenOf(command: PlausibleCommand): string[] {
  const [program, ...rest] = command.words;
  const isOpen = program?.unsure !== undefined && hasHole(program.text);
  if (command.isIdle) return [];
  if (!isOpen) return [...writtenWords(command), ...scriptWords(programOf(program) ?? "", textsOf(rest)).written];
  return textsOf(rest).filter((text) => !text.startsWith("-"));
}

function redirect(line: Line, written: readonly LexedCommand[], valueOf: ValueOf, places: readonly string[]): void {
  for (const { redirects } of written)
    for (const { target, isWrite } of redirects)
      for (const { text, unsure } of filledWord(holed(target, places), valueOf).flat()) {
        line.read.add(text);
        line.uses.delete(text);
        line.redirected[isWrite ? "written" : "read"].add(text);
        if (isWrite && !sinks.has(text)) line.written.add(text);
        if (unsure === "files") line.globs.add(text);
      }
}

function withTold(
  folders: readonly string[],
  commands: readonly PlausibleCommand[],
  trees: readonly string[],
): string[] {
  const all = [...folders, ...folders.flatMap((folder) => toldFolders(commands, folder))];
  return [...new Set([...all, ...all.flatMap((folder) => trees.map((tree) => resolve(folder, tree)))])];
}

/** What variables tell git is the top of its files. */
function workTrees(written: readonly LexedCommand[], valueOf: ValueOf, source: string): string[] {
  if (!source.includes("GIT_WORK_TREE")) return [];
  const texts = written.flatMap(({ words }) => words.flatMap((word) => textsOf(filledWord(word, valueOf).flat())));
  return texts.flatMap((text) => /^GIT_WORK_TREE=(.+)$/su.exec(text)?.[1] ?? []);
}

/** Options with a folder to work in, which they end with, or the next word is. */
const tellingFolder = new Map([
  ["git", /^(?:-C$|--work-tree(?:=|$))(.*)$/su],
  ["env", /^(?:-[0iv]*C|--c(?:h(?:d(?:ir?)?)?)?(?:=|$))(.*)$/su],
  ["sudo", /^(?:-[ABbEeHiKklNnPSsv]*D|--chd(?:ir?)?(?:=|$))(.*)$/su],
]);

/** Where git and `env` are told to work, each from where the one before it led. */
function toldFolders(commands: readonly PlausibleCommand[], start: string): string[] {
  return commands.flatMap(({ words }) => {
    const option = tellingFolder.get(programOf(words[0]) ?? "");
    if (option === undefined) return [];
    let place = start;
    const texts = textsOf(words);
    return texts.flatMap((text, index) => {
      const given = option.exec(texts[index - 1] ?? "")?.[1] === "" ? text : option.exec(text)?.[1];
      return given === undefined || given === "" ? [] : [(place = resolve(place, given))];
    });
  });
}
