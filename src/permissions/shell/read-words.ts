/** Shared by the readers of commands: paths they look into, and words whose content reveals nothing. */
import type { ShellWord } from "./step.ts";

/** A path that a command looks into, as written. */
export interface ReadPath {
  word: ShellWord;
  /** Which links below it are followed: all, or those to folders, whose names are then shown. Absent: none. */
  follows?: "all" | "folders" | undefined;
  /** Only the names that a glob finds are shown. */
  showsNamesOnly?: boolean;
}

/** Variables whose content is not secret: the shell's own, and short names as loops use. */
const publicVariables =
  /^(?:HOME|PWD|OLDPWD|USER|LOGNAME|SHELL|HOSTNAME|LANG|LC_[A-Z]+|TERM|TZ|UID|EUID|PPID|RANDOM|SECONDS|LINENO|BASH_VERSION|SHLVL|OSTYPE|HOSTTYPE|PATH|EDITOR|[a-z]\w{0,2})$/u;

/** Loop variables are public even unquoted: they give any number of words, and file names. */
export function isPublicEvenUnquoted(word: ShellWord): boolean {
  return word.shows?.every((name) => /^[a-z]\w{0,2}$/u.test(name)) ?? isPublicWord(word);
}

export function isPublicWord(word: ShellWord): boolean {
  return word.kind === "data" && word.names.every((name) => publicVariables.test(name));
}

/** The program name of a pseudo step for the words of a loop. */
export const loopProgram = "for … in";

export function literalWord(text: string): ShellWord {
  return { text, source: text, kind: "literal", names: [] };
}

/** The words' texts; empty for words that are not literal. */
export function textsOfLiterals(words: readonly ShellWord[]): string[] {
  return words.map(({ text, kind }) => (kind === "literal" ? text : ""));
}

/** The globs among the words: the command learns which names they match, whatever it does with them. */
export function globPaths(words: readonly ShellWord[]): ReadPath[] {
  return words.filter(({ kind }) => kind === "glob").map((word) => ({ word, showsNamesOnly: true }));
}
