/** Whether a command that matches an allow rule may run or write more than the rule names: by options, or by words that expand to options. */
import type { CommandPattern } from "./command-pattern.ts";
import { runnerMarks, runningKeys, laterRunningKeys } from "../git/git-keys.ts";
import { gitCommandIndex } from "../options/operands.ts";
import { gitCommand, knownProgram } from "../options/program-options.ts";
import { isRunningOption } from "../options/running-options.ts";
import { expandingBuiltins } from "../shell/forms.ts";
import { isPlainSed } from "../shell/plain-sed.ts";
import { printfSetsVariable } from "../shell/safe-variables.ts";
import { hasUncoveredWord } from "./uncovered-words.ts";
import { readPlain } from "../shell/words.ts";

/** Programs mostly used to read. A rule covers their options that run or write something else only if it names them. */
const readingPrograms = new Set(["fd", "fdfind", "rg", "sort", "tar", "git", "find"]);
/** Options of `find`, which begin with one hyphen. */
const riskyFindOptions = /^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls|files0-from)$/u;
/** Letters of tar's first word are options even without a hyphen, however they are spelled. */
const bundledTarOptions = /^[A-Za-z]*[IF*?[{"'$`\\]/u;
/** No option of these runs or writes anything else, whatever a word expands to. Messages are often given as substitutions. */
const harmlessGitCommands = new Set("add branch checkout commit mv reset restore rm status switch tag".split(" "));

/** Checks for every git command named in the words: a branch may be named like one. A rule for `git config` allows what it is for. */
function createGitRunCheck(words: readonly string[], literal: readonly string[]): (word: string) => boolean {
  const distinctWords = isHarmlessGit(words) ? [] : [...new Set(words)];
  const programs = ["*", ...distinctWords].map(gitCommand);
  const marks = new Set(distinctWords.flatMap((word) => runnerMarks.get(word) ?? []));
  const sets = distinctWords.includes("config") && !literal.includes("config");
  return (word) =>
    word.startsWith("-O") ||
    programs.some((program) => isRunningOption(program, word)) ||
    marks.has(word) ||
    (sets && (runningKeys.test(word) || laterRunningKeys.test(word)));
}

export function isHarmlessGit(words: readonly string[]): boolean {
  return words[0] === "git" && harmlessGitCommands.has(words[1] ?? "");
}

/** Whether a glob, braces or a variable may spell git's command, or a word by which that runs something: `reb{ase,} -x`. */
function mayExpandToRunner(words: readonly string[], at: number, special: number, literal: readonly string[]): boolean {
  const command = words[at] ?? "";
  const first = words.findIndex((word, index) => index > at && !word.startsWith("-"));
  const isOf = (index: number): boolean =>
    command === "config" ? index > at && !literal.includes(command) : index === first && runnerMarks.has(command);
  return words.some((word, index) => index >= special && /[*?[{"'$`\\]/u.test(word) && (index === at || isOf(index)));
}

/** `-v` and `-R` evaluate the subscripts of a name and run commands in them. As the last word they are not options. */
function evaluatesSubscript(word: string, name: string | undefined): boolean {
  return /^-[vR]$/u.test(word) && name !== undefined && !/^[A-Za-z_]\w*$/u.test(name);
}

/** A rule for `sed -n`, or for a script of it that prints, allows printing only; other scripts can write files and run commands. */
export function coversReadingOnly(program: string, { pieces: [head = ""] }: CommandPattern): boolean {
  if (program !== "sed") return readingPrograms.has(program);
  const own = readPlain(head.trim())?.map(({ text }) => text) ?? [];
  const isQuiet = own.some((word) => /^(?:-[Erszu]*n[Enrszu]*e?|--quiet|--silent)$/u.test(word));
  return isQuiet && [own, [...own, "p"]].some((words) => isPlainSed(words.slice(1)));
}

/** `special`: the index of the first word that the shell expands. */
export function mayRunMore(words: readonly string[], special: number, pattern: CommandPattern): boolean {
  if (words[0] === "printf")
    return printfSetsVariable(words.slice(1).map((word, at) => (at + 1 < special ? word : "")));
  if (words[0] === "test" || words[0] === "[") return words.some((word, at) => evaluatesSubscript(word, words[at + 1]));
  const [program = ""] = words;
  // Even in quotes, the program expands these itself; `-C` takes a command.
  if (expandingBuiltins.includes(program)) return words.some((word) => /\$\(|\$\{[\s|]|`|^-\w*C/u.test(word));
  const literal = pattern.pieces.join(" ").split(" ");
  if (hasUncoveredWord(words, literal, special)) return true;
  if (!coversReadingOnly(program, pattern)) return false;
  if (program === "sed" && !isPlainSed(words.slice(1, special))) return true;
  // After git's command, `-c` is an option of that command: `switch -c`, `log -c`.
  const ownOfGit = program === "git" ? gitCommandIndex(words.slice(1).map((text) => ({ text }))) : 0;
  if (program === "git" && mayExpandToRunner(words, ownOfGit + 1, special, literal)) return true;
  const known = knownProgram(program);
  const mayRunInGit = program === "git" ? createGitRunCheck(words, literal) : undefined;
  const runs = (word: string, index: number): boolean => {
    if (program === "find") return riskyFindOptions.test(word);
    if (mayRunInGit !== undefined) return mayRunInGit(word) || (word === "-c" && index <= ownOfGit);
    return isRunningOption(known, word) || (program === "tar" && index === 1 && bundledTarOptions.test(word));
  };
  if (words.some((word, index) => runs(word, index) && !literal.includes(word.split("=")[0] ?? word))) return true;
  // A file may be called `-delete`, braces may spell it, and a variable may hold it: such a word may become any option.
  const becomesAny = isHarmlessGit(words) ? /^-?[*?[{]/u : /^(?:-[^=]*)?[*?[{"'$`\\]/u;
  return words.slice(special).some((word) => becomesAny.test(word));
}
