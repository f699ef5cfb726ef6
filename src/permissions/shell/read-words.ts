/** What the readers of commands share: a path that is looked into, and a word whose content gives nothing away. */
import type { ShellWord } from "./step.ts";

/** A path a command looks into, as it is written there. */
export interface ReadPath {
  word: ShellWord;
  /** What links there lead to is read, too. */
  follows?: boolean;
  /** Of what a pattern finds only the names are shown. */
  isNamed?: boolean;
}

/** Variables whose content is no secret: the shell's own, and the short ones that loops set. */
const openVariables =
  /^(?:HOME|PWD|OLDPWD|USER|LOGNAME|SHELL|HOSTNAME|LANG|LC_[A-Z]+|TERM|TZ|UID|EUID|PPID|RANDOM|SECONDS|LINENO|BASH_VERSION|SHLVL|OSTYPE|HOSTTYPE|PATH|EDITOR|[a-z]\w{0,2})$/u;

/** Those that loops set also without quotes: any number of words, and names of files. */
export function isOpenAnyhow(word: ShellWord): boolean {
  return word.shows?.every((name) => /^[a-z]\w{0,2}$/u.test(name)) ?? isOpen(word);
}

export function isOpen(word: ShellWord): boolean {
  return word.kind === "data" && word.names.every((name) => openVariables.test(name));
}

/** Stands for the program of a step that is none: a loop's words are put together. */
export const loopWords = "for … in";

export function literal(text: string): ShellWord {
  return { text, source: text, kind: "literal", names: [] };
}

/** The patterns among them: which names they find the command gets to know, whatever it does with these. */
export function namedBy(words: readonly ShellWord[]): ReadPath[] {
  return words.filter(({ kind }) => kind === "glob").map((word) => ({ word, isNamed: true }));
}
