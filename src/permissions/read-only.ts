/** Whether one simple command only reads, by the table of what each program may be given, and what it reads. */
import { hasControls } from "./path-forms.ts";
import type { ShownContent } from "./git-content.ts";
import { gitReads } from "./read-only-git.ts";
import { isOpen, isOpenAnyhow, literal, type ReadPath } from "./read-words.ts";
import { asksVersion, specialReads } from "./read-only-special.ts";
import { givesPattern, readOnlyProgram, type ReadOnlyProgram } from "./read-only-table.ts";
import { onlyShows } from "./safe-variables.ts";
import { isFixed, type ShellStep, type ShellWord } from "./shell-step.ts";

export interface Reads {
  paths: ReadPath[];
  /** It runs git, which takes orders from the folder it runs in. */
  usesGit: boolean;
  /** What git shows of files. */
  content?: ShownContent;
}

/** Undefined where it does more than read, or where that cannot be told. */
export function readsOf(step: ShellStep): Reads | undefined {
  if (!step.assignments.every(onlyShows)) return undefined;
  const [program, ...words] = step.words;
  if (program?.kind !== "literal") return undefined;
  const isOpened = (word: ShellWord): boolean =>
    word.kind === "unknown" && !(program.text === "echo" && isOpenAnyhow(word));
  if (words.some((word) => isOpened(word) || hasControls(word.text.replace(/[\n\t]/gu, "")))) return undefined;
  if (program.text === "git") {
    const reads = gitReads(words);
    return reads === undefined ? undefined : { ...reads, usesGit: true };
  }
  if (asksVersion(program.text, words)) return { paths: [], usesGit: false };
  const listed = readOnlyProgram(program.text);
  const paths = listed === undefined ? specialReads(program.text, words) : listedReads(listed, words, step.isFed);
  return paths === undefined ? undefined : { paths, usesGit: false };
}

/** What options were given, with their values where they are files, and what is left. Undefined where one is not listed. */
function divided(
  program: ReadOnlyProgram,
  words: readonly ShellWord[],
): { given: Set<string>; files: ShellWord[]; operands: ShellWord[] } | undefined {
  const given = new Set<string>();
  const files: ShellWord[] = [];
  const operands: ShellWord[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    if (word.kind !== "literal" || !word.text.startsWith("-") || word.text === "-") {
      operands.push(word);
      continue;
    }
    if (word.text === "--") {
      operands.push(...words.slice(at + 1));
      break;
    }
    const taken = takeOption(program, word.text, words[at + 1]);
    if (taken === undefined) return undefined;
    for (const name of taken.names) given.add(name);
    if (taken.file !== undefined) files.push(taken.file);
    at += taken.extra;
  }
  return { given, files, operands };
}

interface TakenOption {
  names: string[];
  file?: ShellWord;
  /** Further words it takes. */
  extra: number;
}

function takeOption(program: ReadOnlyProgram, text: string, next: ShellWord | undefined): TakenOption | undefined {
  if (text.startsWith("--") || program.options.has(text)) return longOption(program, text, next);
  if (program.takesNumbers && /^-\d+$/u.test(text)) return { names: [text], extra: 0 };
  const names: string[] = [];
  for (let at = 1; at < text.length; at += 1) {
    const name = `-${text.charAt(at)}`;
    const kind = program.options.get(name);
    if (kind === undefined || (program.isApart && at > 1)) return undefined;
    names.push(name);
    if (kind === "none") continue;
    const rest = text.slice(at + 1);
    if (program.isUnglued && !/^\d*$/u.test(rest)) return undefined;
    if (rest !== "" || kind === "optional") return withValue(names, kind, literal(rest), 0);
    return next?.kind === "literal" ? withValue(names, kind, next, 1) : undefined;
  }
  return { names, extra: 0 };
}

function longOption(program: ReadOnlyProgram, text: string, next: ShellWord | undefined): TakenOption | undefined {
  const equals = text.indexOf("=");
  const name = equals < 0 ? text : text.slice(0, equals);
  const kind = program.options.get(name);
  if (kind === undefined) return undefined;
  if (equals >= 0) return kind === "none" ? undefined : withValue([name], kind, literal(text.slice(equals + 1)), 0);
  if (kind === "none" || kind === "optional") return { names: [name], extra: 0 };
  return next?.kind === "literal" ? withValue([name], kind, next, 1) : undefined;
}

function withValue(names: string[], kind: "value" | "path" | "optional", value: ShellWord, extra: number): TakenOption {
  return kind === "path" ? { names, file: value, extra } : { names, extra };
}

function listedReads(program: ReadOnlyProgram, words: readonly ShellWord[], isFed: boolean): ReadPath[] | undefined {
  if (program.isUnlisted && words.some(({ text }) => text.startsWith("@"))) return undefined;
  const parts = divided(program, words);
  if (parts === undefined || parts.operands.length > program.most) return undefined;
  const { given, files, operands } = parts;
  switch (program.operands) {
    case "none":
      return operands.length === 0 ? [] : undefined;
    case "names":
      return operands.every(({ kind }) => kind === "literal") ? [] : undefined;
    case "data":
      return operands.every((word) => isFixed(word) || isOpen(word)) ? [] : undefined;
    case "paths":
    case "pattern": {
      const hasPattern = program.operands === "pattern" && ![...given].some((name) => givesPattern.has(name));
      const [pattern] = operands;
      if (hasPattern && pattern?.kind !== "literal") return undefined;
      const read = hasPattern ? operands.slice(1) : operands;
      if (!read.every((word) => isReadable(word, program.globs))) return undefined;
      const isGiven = (options: ReadOnlyProgram["deep"]): boolean =>
        options === "always" || options.some((option) => given.has(option));
      const isDeep = isGiven(program.deep);
      const follows = isGiven(program.follows);
      // Where nothing is named, what lies in the folder is searched, but by rg where something is piped into it.
      const isHere =
        isDeep && read.length === 0 && program.operands === "pattern" && !(program.deep === "always" && isFed);
      const searched = isHere ? [literal(".")] : read;
      return [
        ...files.map((word) => ({ word, isDeep: false })),
        ...searched.map((word) => ({ word, isDeep, follows })),
      ];
    }
    default:
      return program.operands satisfies never;
  }
}

/** A pattern could find a file whose name is an option, and one with `..` behind a star leads anywhere. */
function isReadable(word: ShellWord, globs: boolean): boolean {
  if (word.kind === "glob") {
    const start = word.text.search(/[*?[]/u);
    if (/(?:^|\/)\.\.(?:\/|$)/u.test(word.text.slice(Math.max(0, start)))) return false;
    return globs || (start > 0 && !word.text.startsWith("-"));
  }
  return isFixed(word) || word.kind === "stream";
}
