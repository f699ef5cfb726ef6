/** Decides whether a simple command only reads, using the table of programs, and which files it reads. */
import { hasControlCharacters } from "../paths/path-forms.ts";
import type { ShownContent } from "../git/git-content.ts";
import { readsOfGit } from "./read-only-git.ts";
import { patternGivingOptions, hasOption, parseListedWords } from "../options/operands.ts";
import { readOnlyProgram, type Program } from "../options/program-options.ts";
import {
  isPublicWord,
  isPublicEvenUnquoted,
  textsOfLiterals,
  literalWord,
  type ReadPath,
} from "../shell/read-words.ts";
import { asksVersion, specialReads } from "./read-only-special.ts";
import { onlyAffectsDisplay } from "../shell/safe-variables.ts";
import { isFixed, type ShellStep, type ShellWord } from "../shell/step.ts";

export interface Reads {
  paths: ReadPath[];
  /** Whether it runs git, which takes its configuration from the folder it runs in. */
  usesGit: boolean;
  /** The file content that git shows. */
  content?: ShownContent;
}

/** Undefined if it does more than read, or if that cannot be decided. */
export function readsOf(step: ShellStep): Reads | undefined {
  if (!step.assignments.every(onlyAffectsDisplay)) return undefined;
  const [program, ...words] = step.words;
  if (program?.kind !== "literal") return undefined;
  const isOpened = (word: ShellWord): boolean =>
    word.kind === "unknown" && !(program.text === "echo" && isPublicEvenUnquoted(word) && !mayHoldGlob(word, step));
  if (words.some(({ text }) => hasControlCharacters(text))) return undefined;
  if (program.text === "git") {
    const reads = readsOfGit(words);
    return reads === undefined ? undefined : { ...reads, usesGit: true };
  }
  if (words.some(isOpened)) return undefined;
  if (asksVersion(program.text, words)) return { paths: [], usesGit: false };
  const known = readOnlyProgram(program.text);
  const paths = known === undefined ? specialReads(program.text, words) : readsOfListed(known, words, step.isFed);
  return paths === undefined ? undefined : { paths, usesGit: false };
}

/** An unquoted variable of a loop may hold a glob, which then expands. */
function mayHoldGlob({ shows = [] }: ShellWord, { looped }: ShellStep): boolean {
  const held = shows.flatMap((name) => looped?.get(name) ?? []);
  return held.some(({ kind, text }) => kind === "literal" && /[*?[]/u.test(text));
}

function readsOfListed(program: Program, words: readonly ShellWord[], isFed: boolean): ReadPath[] | undefined {
  if (program.isUnlisted && words.some(({ text }) => text.startsWith("@"))) return undefined;
  // A word that is not literal is neither an option nor an option's value.
  const read = parseListedWords(program, textsOfLiterals(words));
  if (read === undefined || read.operands.length > program.maxOperands) return undefined;
  if (read.givenOptions.some(({ valueIn, at }) => valueIn === "next word" && words[at + 1]?.kind !== "literal"))
    return undefined;
  const operands = words.filter((_, at) => read.operandIndexes.includes(at));
  switch (program.operands) {
    case "none":
      return operands.length === 0 ? [] : undefined;
    case "names":
      return operands.every(({ kind }) => kind === "literal") ? [] : undefined;
    case "data":
      return operands.every((word) => isFixed(word) || isPublicWord(word) || word.isOne === true) ? [] : undefined;
    case "paths":
    case "pattern": {
      const hasPattern = program.operands === "pattern" && !hasOption(read, ...patternGivingOptions);
      const [pattern] = operands;
      if (hasPattern && pattern?.kind !== "literal") return undefined;
      const fileOperands = hasPattern ? operands.slice(1) : operands;
      if (!fileOperands.every((word) => isSafePath(word, program.globs))) return undefined;
      const isGiven = (options: Program["deep"]): boolean => options === "always" || hasOption(read, ...options);
      const isDeep = isGiven(program.deep);
      const lists = isDeep && isGiven(program.lists);
      const follows = isGiven(program.follows) ? "all" : lists ? "folders" : undefined;
      // Without operands, the working directory is searched, except by rg if its input is a pipe.
      const startsHere = program.operands === "pattern" ? program.deep !== "always" || !isFed : lists;
      const isHere = isDeep && fileOperands.length === 0 && startsHere;
      const searched = isHere ? [literalWord(".")] : fileOperands;
      const [first = words.length] = program.isAnywhere ? [] : read.operandIndexes;
      // Some systems take no options after an operand; then these words and their values are files. A lone slash is a field separator.
      const files = read.givenOptions.filter(
        ({ name, value, valueIn, at }) =>
          program.options.get(name)?.value === "path" || (valueIn === "next word" && at > first && value !== "/"),
      );
      return [
        ...files.map(({ value }) => ({ word: literalWord(value) })),
        ...searched.map((word) => ({ word, follows })),
      ];
    }
    case "reads":
    case "-":
      return undefined;
    default:
      return program.operands satisfies never;
  }
}

/** Whether the word is safe as a path. A glob may match a file named like an option, and `..` after a star leads anywhere. */
function isSafePath(word: ShellWord, globs: boolean): boolean {
  if (word.kind === "glob") {
    const start = word.text.search(/[*?[]/u);
    if (/(?:^|\/)\.\.(?:\/|$)/u.test(word.text.slice(Math.max(0, start)))) return false;
    return globs || (start > 0 && !word.text.startsWith("-"));
  }
  return isFixed(word) || word.kind === "stream";
}
