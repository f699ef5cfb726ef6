/** Whether one simple command only reads, by the table of what each program may be given, and what it reads. */
import { hasControls } from "../paths/path-forms.ts";
import type { ShownContent } from "../git/git-content.ts";
import { gitReads } from "./read-only-git.ts";
import { givesPattern, has, listed } from "../options/operands.ts";
import { readOnlyProgram, type Program } from "../options/program-options.ts";
import { isOpen, isOpenAnyhow, literal, type ReadPath } from "../shell/read-words.ts";
import { asksVersion, specialReads } from "./read-only-special.ts";
import { onlyShows } from "../shell/safe-variables.ts";
import { isFixed, type ShellStep, type ShellWord } from "../shell/step.ts";

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
    word.kind === "unknown" && !(program.text === "echo" && isOpenAnyhow(word) && !mayFind(word, step));
  if (words.some(({ text }) => hasControls(text.replace(/[\n\t]/gu, "")))) return undefined;
  if (program.text === "git") {
    const reads = gitReads(words);
    return reads === undefined ? undefined : { ...reads, usesGit: true };
  }
  if (words.some(isOpened)) return undefined;
  if (asksVersion(program.text, words)) return { paths: [], usesGit: false };
  const known = readOnlyProgram(program.text);
  const paths = known === undefined ? specialReads(program.text, words) : listedReads(known, words, step.isFed);
  return paths === undefined ? undefined : { paths, usesGit: false };
}

/** Without quotes a pattern finds names also where a loop's variable holds it. */
function mayFind({ shows = [] }: ShellWord, { looped }: ShellStep): boolean {
  const held = shows.flatMap((name) => looped?.get(name) ?? []);
  return held.some(({ kind, text }) => kind === "literal" && /[*?[]/u.test(text));
}

function listedReads(program: Program, words: readonly ShellWord[], isFed: boolean): ReadPath[] | undefined {
  if (program.isUnlisted && words.some(({ text }) => text.startsWith("@"))) return undefined;
  // What is not plain is no option, and no value of one.
  const read = listed(
    program,
    words.map(({ kind, text }) => (kind === "literal" ? text : "")),
  );
  if (read === undefined || read.operands.length > program.most) return undefined;
  if (read.given.some(({ valueIn, at }) => valueIn === "next word" && words[at + 1]?.kind !== "literal"))
    return undefined;
  const operands = words.filter((_, at) => read.places.includes(at));
  switch (program.operands) {
    case "none":
      return operands.length === 0 ? [] : undefined;
    case "names":
      return operands.every(({ kind }) => kind === "literal") ? [] : undefined;
    case "data":
      return operands.every((word) => isFixed(word) || isOpen(word) || word.isOne === true) ? [] : undefined;
    case "paths":
    case "pattern": {
      const hasPattern = program.operands === "pattern" && !has(read, ...givesPattern);
      const [pattern] = operands;
      if (hasPattern && pattern?.kind !== "literal") return undefined;
      const named = hasPattern ? operands.slice(1) : operands;
      if (!named.every((word) => isReadable(word, program.globs))) return undefined;
      const isGiven = (options: Program["deep"]): boolean => options === "always" || has(read, ...options);
      const isDeep = isGiven(program.deep);
      const follows = isGiven(program.follows);
      // Where nothing is named, what lies in the folder is searched, but by rg where something is piped into it.
      const isHere =
        isDeep && named.length === 0 && program.operands === "pattern" && !(program.deep === "always" && isFed);
      const searched = isHere ? [literal(".")] : named;
      const [first = words.length] = program.isAnywhere ? [] : read.places;
      // Behind an operand, not every system takes options: there they are files, and their values too. A slash alone divides fields.
      const files = read.given.filter(
        ({ name, value, valueIn, at }) =>
          program.options.get(name)?.value === "path" || (valueIn === "next word" && at > first && value !== "/"),
      );
      return [...files.map(({ value }) => ({ word: literal(value) })), ...searched.map((word) => ({ word, follows }))];
    }
    case "reads":
    case "-":
      return undefined;
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
