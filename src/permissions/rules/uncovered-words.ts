/**
 * Words by which programs that people allow for one task run a program of another's choice. Hardly anyone writes them, so a rule covers
 * them only if it names them: `Bash(npm test *)` does not cover `npm test --script-shell=./x`.
 */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { certainWord } from "../shell/text.ts";
import { ownOptionsEnd } from "./own-options.ts";

const uncoveredWords: ReadonlyMap<string, RegExp> = new Map([
  ...entriesForNames(
    "npm npx pnpm yarn",
    /^--(?:script-shell|node-options|userconfig|globalconfig|npmrc-auth-file)(?:=|$)/u,
  ),
  ["cargo", /^--conf?i?g?(?:=|$)/u],
  ...entriesForNames(
    "make gmake",
    /^(?:-E|--eva?l?(?:=|$)|(?:\.SHELLFLAGS|MAKE|MAKEFILES|SHELL(?![:?+]*=(?:\/usr)?\/bin\/(?:ba|da|z)?sh$)|MAKEFLAGS(?!=-j\d*$))[:?+]*=)/u,
  ),
  ["go", /^--?(?:exec|toolexec|vettool|overlay)(?:=|$)/u],
  ["split", /^--fi(?:l(?:t(?:er?)?)?)?(?:=|$)/u],
  ["man", /^(?:-[PH]|--pag|--ht)/u],
  ["zip", /^(?:-TT|--unzip-c)/u],
  ...entriesForNames("gcc g++ cc c++ clang clang++", /^(?:-wrapper|-fplugin=.*|-B.*|-specs=.*)$/u),
  // A file of options, a library to load.
  ...entriesForNames("ssh scp sftp", /^-[46AaCfGgKkMNnqsTtVvXxYy]*[FI]/u),
]);

/** Settings of ssh, alone or behind `-o`, that run a command here. */
const runningSetting =
  /^(?:-[A-Za-z0-9]*o)?\s*(?:(?:proxy|local|knownhosts)command|permitlocalcommand|pkcs11provider|securitykeyprovider|include)\s*[=\s]/iu;
const sshPrograms = new Set(["ssh", "scp", "sftp"]);
/** Programs that hand the words after `--` to what they run. */
const handingPrograms = new Set("cargo npm npx pnpm yarn".split(" "));

/** The words that are not only for the program that it runs, or for the other machine. */
function ownWords(name: string, rest: readonly string[], certain: number): readonly string[] {
  const end = handingPrograms.has(name) ? rest.indexOf("--") : name === "ssh" ? remoteCommandStart(rest, certain) : -1;
  return end < 0 ? rest : rest.slice(0, end);
}

/** -1 if a word that only the shell knows may be an option, or nothing. */
function remoteCommandStart(rest: readonly string[], certain: number): number {
  const end = ownOptionsEnd("ssh", rest.map(certainWord)) ?? -1;
  return end < certain ? end : -1;
}

/** `named`: the words of the rule. `certain`: the number of leading words that are certain. */
export function hasUncoveredWord(words: readonly string[], named: readonly string[], certain: number): boolean {
  const [program = "", ...rest] = words;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const uncovered = uncoveredWords.get(name);
  if (uncovered === undefined) return false;
  const isUncovered = (word: string): boolean =>
    uncovered.test(word) || (sshPrograms.has(name) && runningSetting.test(word));
  return ownWords(name, rest, certain - 1).some(
    (word) => isUncovered(word) && !named.includes(word) && !named.includes(word.split("=")[0] ?? ""),
  );
}
