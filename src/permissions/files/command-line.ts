/** A command line with its variables filled in: its commands, the folders they may run in, and the words that may name files. */
import { resolve } from "node:path";
import { memoize } from "../../lib/memoize.ts";
import { codeInLine } from "./code-in-line.ts";
import { visitedFolders } from "./critical-remove.ts";
import { filesMatching } from "./found-files.ts";
import { documentsRun } from "./handed-words.ts";
import { withOptionFolders, workTrees } from "./option-folders.ts";
import { namesPatchProgram, patchedFiles } from "./patch-words.ts";
import type { PathReader } from "../paths/path-forms.ts";
import { fillWordForms, hasHole, hole, inputHole, type ValueOf } from "../shell/fill.ts";
import { textsOf, type LexedCommand, type Word } from "../shell/text.ts";
import { programName, type PlausibleCommand } from "../shell/unwrap.ts";
import { scriptWords } from "./script-words.ts";
import { wordUses, type WordUse } from "./word-uses.ts";
import { createFillBudget, fillCommandForms, shellValues, type ShellValues } from "../shell/values.ts";
import { isAssignment, keywords } from "../shell/wrappers.ts";
import { withGitSubcommand, type CommandReading } from "../shell/words.ts";
import { anythingBelow, sinks } from "./written-paths.ts";
import { writtenWords } from "./written-words.ts";

const maxGlobFolders = 20;

export interface Line {
  commands: PlausibleCommand[];
  /** Folders the line may run in, or that git is told to work in. */
  starts: string[];
  /**
   * Where a `cd` certainly happens: the folders of the commands with an index in [from, to), without the first folder unless something is
   * told to work there. Without such a `cd`, the same as `starts`.
   */
  certainRange: { from: number; to: number; starts: string[] };
  /** Words that may be read: any word may name a file. */
  read: Set<string>;
  /** What the words are to their programs; a word without an entry is a file. */
  uses: Map<string, WordUse>;
  /** The words in `read` that are values of variables given to programs. */
  variableWords: Set<string>;
  written: Set<string>;
  /** Code that programs of the line are given to run. */
  code: string[];
  /** The words in `read` and `written` that redirections name. */
  redirected: { read: Set<string>; written: Set<string> };
  /** Words that are globs: the files they match are meant. */
  globs: Set<string>;
  /** The words to add if variables may not be set. */
  presumed: { read: Set<string>; written: Set<string> };
}

/** `more`: commands that run although nobody wrote them. */
export function buildLine(
  wholeReading: CommandReading,
  source: string,
  cwd: string,
  { home, reader }: { home: string; reader: PathReader },
  more: readonly Word[][],
): Line {
  const [reading, places] = [withoutFinalCd(wholeReading, source), inputPlaceholders(source)];
  const all = reading.commands.map((command) => ({
    ...command,
    words: command.words.map((word) => withInputHole(word, places)),
  }));
  const values = (starts: readonly string[]): ShellValues =>
    hasOnlyCertainWords(reading) ? nothingToFill : shellValues(reading.rawCommands, source, home, starts);
  const first = fillCommands(all, values([cwd]).knownValues);
  const targets = cdFolders(first, cwd, home, reader);
  const visited = [...new Set([cwd, ...targets])];
  const { knownValues, knownValuesOrUnset } = values(visited);
  const isSame = visited.length === 1 || !source.includes("PWD");
  const commands = [
    ...(isSame ? first : fillCommands(all, knownValues)),
    ...more.map((words) => ({ words, isIdle: false })),
  ];
  const trees = workTrees(reading.rawCommands, knownValues, source);
  const starts = withOptionFolders(visited, commands, trees);
  const moved =
    changesFolderOnce(reading.rawCommands, source) && !targets.includes(cwd)
      ? commands.findLastIndex(isFolderChange)
      : -1;
  // Commands that nobody wrote may also run before the move, if there is one.
  const to = moved > 0 ? commands.length - more.length : commands.length;
  const line: Line = {
    commands,
    starts,
    // After the move, a program may be told to work in the first folder again.
    certainRange: {
      from: Math.max(0, moved),
      to,
      starts: moved < 0 ? starts : withOptionFolders(targets, commands, trees),
    },
    read: new Set(commands.flatMap(wordsRead)),
    uses: wordUses(commands, reading, source),
    variableWords: new Set(),
    written: new Set(commands.flatMap(wordsWritten)),
    code: codeInLine(commands, reading.rawCommands, source),
    redirected: { read: new Set(), written: new Set() },
    globs: new Set(),
    presumed: { read: new Set(), written: new Set() },
  };
  for (const { words } of commands)
    for (const text of scriptWords(programName(words[0]) ?? "", textsOf(words.slice(1))).read) line.uses.delete(text);
  addDocuments(line, documentsRun(reading.rawCommands, source));
  addAssignments(line, assignmentsInFront(reading.rawCommands, source), knownValues, places);
  addRedirects(line, reading.rawCommands, knownValues, places);
  addPatchedFiles(line, reading.rawCommands, knownValues);
  const unset = knownValuesOrUnset === undefined ? [] : fillCommands(all, knownValuesOrUnset);
  for (const text of unset.flatMap(operandTexts)) if (!line.read.has(text)) line.presumed.read.add(text);
  for (const text of unset.flatMap(wordsWritten)) if (!line.written.has(text)) line.presumed.written.add(text);
  addGlobs(line, unset);
  return line;
}

const nothingToFill: ShellValues = { knownValues: () => undefined, manyValues: () => undefined };

/** Adds the here-documents that a program runs or reads as file names. Each may be anything to that program. */
function addDocuments({ read, uses }: Line, documents: readonly string[]): void {
  for (const text of documents) {
    read.add(text);
    if (!uses.has(text)) uses.set(text, "any");
  }
}

/** Adds the files that patches name, seen from each folder the line may run in. */
function addPatchedFiles({ commands, starts, written }: Line, lexed: readonly LexedCommand[], valueOf: ValueOf): void {
  const around = { run: new Set(commands.map(({ words }) => programName(words[0]))), created: written };
  const budget = createFillBudget();
  const formsOf = (command: LexedCommand): LexedCommand[] =>
    fillCommandForms({ ...command, isIdle: false }, valueOf, budget).map(({ words }) => ({ ...command, words }));
  const patching = lexed.flatMap(formsOf).filter(namesPatchProgram);
  for (const start of starts)
    for (const command of patching) for (const text of patchedFiles(command, start, around)) written.add(text);
}

function addGlobs({ commands, written, presumed, globs }: Line, otherCommands: readonly PlausibleCommand[]): void {
  for (const { words } of [...commands, ...otherCommands])
    for (const { text, unsure } of words) if (unsure === "files") globs.add(text);
  const below = [...written, ...presumed.written].filter((text) => isBelowGlob(text, globs));
  for (const text of below)
    if (!standsForContent(text, written) && !standsForContent(text, presumed.written)) globs.add(text);
}

/** Whether the text stands for everything below a path in `names`: that is searched with the folders that the program goes into. */
function standsForContent(text: string, names: ReadonlySet<string>): boolean {
  return text.endsWith(anythingBelow) && names.has(text.slice(0, -anythingBelow.length));
}

/** No word names what is written below a glob's matches. Files that another glob would put there have other names. */
function isBelowGlob(text: string, patterns: ReadonlySet<string>): boolean {
  for (let at = text.lastIndexOf("/"); at > 0; at = text.lastIndexOf("/", at - 1))
    if (patterns.has(text.slice(0, at)) || patterns.has(text.slice(0, at + 1))) return !/[*?[]/u.test(text.slice(at));
  return false;
}

/** Whether all words are certain, as in most lines: then no variables need to be looked up. */
function hasOnlyCertainWords({ commands, rawCommands }: CommandReading): boolean {
  const isSure = ({ text, unsure }: Word): boolean => unsure === undefined && !text.startsWith("~");
  return (
    commands.every(({ words }) => words.every(isSure)) &&
    rawCommands.every(({ words, redirects }) => words.every(isSure) && redirects.every(({ target }) => isSure(target)))
  );
}

function isFolderChange({ words }: { words: readonly Word[] }): boolean {
  return ["cd", "pushd", "popd"].includes(programName(words[0]) ?? "");
}

/** Drops a `cd` at the very end, since nothing runs in its folder, except what the shell is told to do when it exits. */
function withoutFinalCd(reading: CommandReading, source: string): CommandReading {
  const before = /^(.*\S)\s*&&\s*cd\s+[\w./-]+\s*$/su.exec(source)?.[1]?.replace(quotedWord, "''");
  const isLast = before !== undefined && !commandSeparator.test(before) && !/\btrap\b/u.test(source);
  const [command, written] = [reading.commands.at(-1), reading.rawCommands.at(-1)];
  if (!isLast || command === undefined || written === undefined || !isFolderChange(command) || !isFolderChange(written))
    return reading;
  return { ...reading, commands: reading.commands.slice(0, -1), rawCommands: reading.rawCommands.slice(0, -1) };
}

/** Text that certainly is a single word. */
const quotedWord = /'[^']*'|"[^"$`\\]*"/gu;
/** What follows these may run although something failed, or in another folder. */
const commandSeparator = /[;\n(){}`\\]|\|\||[^&>]&(?![&>])/u;

/** If the line sets these, `cd` may go to another folder than the one it names. */
const cdVariables = /(?<![${])\b(?:CDPATH|HOME|cdable_vars)\b/u;

/** Whether the line changes its folder once, and all that follows only runs if that succeeded. A final group counts like its content. */
function changesFolderOnce(written: readonly LexedCommand[], source: string): boolean {
  const moves = written.filter(isFolderChange);
  const open = source.replace(quotedWord, "''").replace(/^((?:[^()]*&&)?\s*)\(([^()]*)\)\s*$/u, "$1$2");
  // It is not known where `cd -` leads.
  const isBack = moves.some(({ words }) => words.some(({ text }) => text === "-"));
  const isSteered = written.some(({ words }) => words.some(({ text }) => cdVariables.test(text)));
  // What a shell is given to run before it would be read as following it.
  const isFollowed = /^(?:[^|<]*&&)?\s*cd\s[^;&|()<>]*&&/u.test(open.replace(/"[^"]*"/gu, "''"));
  return moves.length === 1 && !isBack && !isSteered && isFollowed && !commandSeparator.test(open);
}

/** The placeholders that `xargs` and `parallel` replace with their input, even inside text for a shell. */
function inputPlaceholders(source: string): string[] {
  if (!/\b(?:xargs|parallel)\b/u.test(source)) return [];
  return ["{}", ...[...source.matchAll(/\s-[0oprtx]*[IJ]\s*["']?([^\s"']+)/gu)].map(([, place = ""]) => place)];
}

function withInputHole(word: Word, places: readonly string[]): Word {
  const place = word.unsure === undefined ? places.find((each) => word.text.includes(each)) : undefined;
  if (place === undefined) return word;
  const at = word.text.indexOf(place);
  return { text: word.text.replaceAll(place, inputHole), known: at, unsure: "value", tail: at + 1 };
}

function fillCommands(commands: readonly PlausibleCommand[], valueOf: ValueOf): PlausibleCommand[] {
  const budget = createFillBudget();
  return commands.flatMap((command) => fillCommandForms(command, valueOf, budget)).flatMap(withGitSubcommand);
}

/** Programs are found there, as if their path were written. */
const programPathVariable = /^PATH\+?=/u;

function operandTexts({ words: [program, ...rest] }: PlausibleCommand): string[] {
  const isSetting = programName(program) === "export";
  return textsOf(rest).filter((text) => !isSetting || !programPathVariable.test(text));
}

function wordsRead(command: PlausibleCommand): string[] {
  const texts = operandTexts(command);
  const [program] = command.words;
  return [...texts, ...scriptWords(programName(program) ?? "", texts).read];
}

/** The value names a kind of thing, hardly a folder to go through. */
const plainValue = /^\w+=[\w-]*$/u;
/** Shell variables may be given to programs as well. */
const exportForm = /\bexport\b|\ballexport\b|\b(?:set|declare|typeset)\s+-\w*[ax]/u;

/** The `NAME=file` words in front of a program, which may use the file as if it were an argument. */
function leadingVariables({ words }: LexedCommand, isExporting: boolean): Word[] {
  const end = words.findIndex((word) => !isAssignment(word) && !keywords.has(word.text));
  const isAlone = end < 0;
  if (isAlone && !isExporting) return [];
  return words
    .slice(0, isAlone ? words.length : end)
    .filter((word) => isAssignment(word) && !programPathVariable.test(word.text));
}

function assignmentsInFront(written: readonly LexedCommand[], source: string): Word[] {
  const isExporting = exportForm.test(source);
  return written.flatMap((command) => leadingVariables(command, isExporting));
}

/** Adds variable assignments and their values: a program may use such a file as if it were an argument. */
function addAssignments(line: Line, assigned: readonly Word[], valueOf: ValueOf, places: readonly string[]): void {
  for (const { text } of assigned.flatMap((word) => fillWordForms(withInputHole(word, places), valueOf).flat())) {
    line.read.add(text);
    line.variableWords.add(text);
    if (!line.uses.has(text) && !hasHole(text)) line.uses.set(text, plainValue.test(text) ? "told" : "any");
  }
}

/** The folders that `cd` may have entered, including those that match globs. */
function cdFolders(commands: readonly PlausibleCommand[], cwd: string, home: string, reader: PathReader): string[] {
  const isOpen = ({ words }: PlausibleCommand): boolean =>
    ["cd", "pushd"].includes(programName(words[0]) ?? "") && words.some(({ unsure }) => unsure === "files");
  const patterns = commands.filter(isOpen);
  if (patterns.length === 0) return visitedFolders(commands, cwd, home);
  const others = commands.filter((command) => !isOpen(command));
  // The same `cd` is often written again and again, and leads to the same places.
  const visitedFrom = memoize((place) => visitedFolders(others, place, home));
  const matching = memoize((pattern) => filesMatching(pattern, reader) ?? [hole]);
  let places = [cwd, ...visitedFrom(cwd)];
  for (const { words } of patterns) {
    const pattern = words.find(({ unsure }) => unsure === "files")?.text ?? "";
    const found = places.flatMap((place) => matching(resolve(place, pattern)));
    const kept = found.length > maxGlobFolders ? [resolve(cwd, hole)] : found;
    places = [...new Set([...places, ...kept, ...kept.flatMap(visitedFrom)])];
  }
  return places;
}

/** The files that a command may write. A program whose name only the shell knows may write all its arguments. */
function wordsWritten(command: PlausibleCommand): string[] {
  const [program, ...rest] = command.words;
  const isOpen = program?.unsure !== undefined && hasHole(program.text);
  if (command.isIdle) return [];
  if (!isOpen) return [...writtenWords(command), ...scriptWords(programName(program) ?? "", textsOf(rest)).written];
  return textsOf(rest).filter((text) => !text.startsWith("-"));
}

function addRedirects(line: Line, written: readonly LexedCommand[], valueOf: ValueOf, places: readonly string[]): void {
  for (const { redirects } of written)
    for (const { target, isWrite } of redirects)
      for (const { text, unsure } of fillWordForms(withInputHole(target, places), valueOf).flat()) {
        line.read.add(text);
        line.uses.delete(text);
        line.redirected[isWrite ? "written" : "read"].add(text);
        if (isWrite && !sinks.has(text)) line.written.add(text);
        if (unsure === "files") line.globs.add(text);
      }
}
