/**
 * Matches guarding rules against other spellings of the command they name: `rm -fr` for `rm -rf`, `kubectl -n x delete` for
 * `kubectl delete`, `git push origin --force` for `git push --force`, `bash deploy.sh` for `./deploy.sh`.
 */
import { posix } from "node:path";
import { gitCommandIndex } from "../options/operands.ts";
import { matchesOptionName } from "../options/running-options.ts";
import { commandOptionIndex } from "../shell/fed-shells.ts";
import { certainWord, textsOf } from "../shell/text.ts";
import { programName, type PlausibleCommand } from "../shell/unwrap.ts";
import { shells } from "../shell/wrappers.ts";
import { isExactPattern, isPrefixPattern, type CommandPattern } from "./command-pattern.ts";
import { ownOptionsEnd, takesValue } from "./own-options.ts";

/** Folders whose programs are also found by their bare names. */
const systemFolder = /^(?:\/usr)?(?:\/local)?\/s?bin$|^\/opt\/[^/]+\/bin$/u;
/** Programs whose long options have a single hyphen, so that their letters are no options of their own. */
const singleHyphenPrograms = new Set(
  "find fd go java javac gcc g++ clang ffmpeg openssl terraform tofu adb X xrandr".split(" "),
);
/** A longer word is one option. */
const maxClusterLength = 6;
const sameOptions = new Map([
  ["--recursive", "r"],
  ["--force", "f"],
  ["--global", "g"],
]);
/** Programs for which `-R` and `-r` mean the same. */
const eitherRecursion = new Set(["rm", "cp", "grep"]);
/** Programs for which only `-R` is recursive. */
const capitalRecursion = new Set(["ls", "chmod", "chown", "chgrp"]);
const switchedOff = /^--[^=]+=false$/u;
const npmAliases = new Map(
  Object.entries({
    run: "run-script rum urn",
    install: "i in ins inst insta instal isnt isnta isntal isntall add",
    ci: "clean-install ic install-clean isntall-clean",
    uninstall: "rm r un unlink remove",
    test: "t tst",
    update: "up upgrade udpate",
    exec: "x",
  }).flatMap(([name, others]) => others.split(" ").map((other): [string, string] => [other, name])),
);

interface CommandWords {
  program: string;
  rest: readonly string[];
  /** Where the words of a script or another command begin; undefined if there is none or if it is not certain. */
  ownEnd?: number | undefined;
}

interface NamedCommand extends CommandWords {
  isExact: boolean;
  /** The last word may go on: `npm run deploy*`. */
  isOpenWord: boolean;
}

export function matchesOtherSpelling(pattern: CommandPattern, commands: readonly PlausibleCommand[]): boolean {
  const named = namedCommand(pattern);
  if (named === undefined) return false;
  const isPath = named.program.includes("/");
  if (!isPath && named.rest.length === 0) return false;
  const mayMove = commands.some(({ words }) => ["cd", "pushd"].includes(programName(words[0]) ?? ""));
  return commands.some((command) =>
    possibleCommands(command).some(
      (each) =>
        isProgram(named.program, each.program, mayMove) && (restMatches(named, each) || matchesWithValue(named, each)),
    ),
  );
}

/** The words of the pattern; undefined if it has stars within, quotes, or `--`. */
function namedCommand(pattern: CommandPattern): NamedCommand | undefined {
  const { pieces, endsAtWord } = pattern;
  const isOpenWord = !endsAtWord && isPrefixPattern(pattern);
  const isExact = isExactPattern(pattern);
  const [program = "", ...rest] = (pieces[0] ?? "").trim().split(/\s+/u);
  if (!(isExact || isPrefixPattern(pattern)) || program === "" || /=/u.test(program) || rest.includes("--"))
    return undefined;
  if (rest.some((text) => /["'\\$`]/u.test(text))) return undefined;
  return { program, rest, ownEnd: ownOptionsEnd(posix.basename(program), rest.map(certainWord)), isExact, isOpenWord };
}

/** The command, and the script that a shell is given. */
function possibleCommands({ words, isIdle }: PlausibleCommand): CommandWords[] {
  const [program, ...rest] = words;
  if (program === undefined || isIdle) return [];
  const called = programName(program) ?? "";
  const texts = textsOf(rest);
  const whole = { program: program.text, rest: texts, ownEnd: ownOptionsEnd(called, rest) };
  const found: CommandWords[] = program.unsure === undefined ? [whole] : [];
  const isShell = shells.has(called) && commandOptionIndex(called, rest) < 0;
  if (!isShell && called !== "." && called !== "source") return found;
  const at = texts.findIndex((text) => !/^[-+]/u.test(text));
  // Only checks the script.
  if (isShell && at === 1 && texts[0] === "-n") return found;
  const script = rest[at];
  if (at < 0 || script?.unsure !== undefined) return found;
  const path = texts[at] ?? "";
  return [...found, { program: path.includes("/") ? path : `./${path}`, rest: texts.slice(at + 1) }];
}

function isProgram(named: string, given: string, mayMove: boolean): boolean {
  const name = posix.basename(given);
  if (!named.includes("/")) return [given, name, name.toLowerCase()].includes(named);
  if (posix.basename(named) !== name) return false;
  const isSystem = systemFolder.test(posix.dirname(named));
  if (!given.includes("/")) return isSystem;
  const [one, other] = [posix.normalize(named), posix.normalize(given)];
  if (one === other || mayMove) return true;
  if (isSystem) return systemFolder.test(posix.dirname(other));
  return other.endsWith(`/${one}`) || one.endsWith(`/${other}`);
}

/** Whether the command has the first option of the pattern with the same value anywhere, and matches without these: `curl x -X POST`. */
function matchesWithValue(named: NamedCommand, given: CommandWords): boolean {
  const at = named.rest.findIndex((text, index) => isOption(text) && isOperand(named.rest[index + 1]));
  if (at < 0 || named.isExact) return false;
  const called = posix.basename(named.program);
  const wanted = optionNames(called, named.rest[at] ?? "");
  const value = named.rest[at + 1];
  const place = given.rest
    .slice(0, reachOfOption(named, at, given))
    .findIndex((text, index) => given.rest[index + 1] === value && isNamed(called, text, wanted));
  return place >= 0 && restMatches(withoutPair(named, at), withoutPair(given, place));
}

/** The command without an option and its value. */
function withoutPair<Command extends CommandWords>(command: Command, at: number): Command {
  const { rest, ownEnd } = command;
  const isOwn = ownEnd !== undefined && at < ownEnd;
  return { ...command, rest: rest.toSpliced(at, 2), ownEnd: isOwn ? Math.max(at, ownEnd - 2) : ownEnd };
}

/** How many words of the command may be the option that stands at `at` in the pattern. Options of a script are not its program's. */
function reachOfOption(named: NamedCommand, at: number, given: CommandWords): number {
  return (at < (named.ownEnd ?? 0) ? given.ownEnd : undefined) ?? given.rest.length;
}

function isOperand(text: string | undefined): boolean {
  return text !== undefined && !isOption(text);
}

/** Whether the options and the operands of the pattern occur in the command. Only a value of another option may stand between operands. */
function restMatches(named: NamedCommand, given: CommandWords): boolean {
  const called = posix.basename(named.program);
  const isGit = called === "git";
  const rest = isGit ? given.rest.slice(gitCommandIndex(given.rest.map((text) => ({ text })))) : given.rest;
  const end = rest.indexOf("--");
  const wanted = named.rest.filter((text) => !isOption(text)).map((text) => operandName(called, text));
  const wantedOptions = named.rest.filter(isOption).flatMap((text) => optionNames(called, text));
  const words = rest.map((text, at) => ({ text, isOption: isOption(text) && (end < 0 || at < end) }));
  let found = 0;
  let last = -1;
  for (const [at, word] of words.entries()) {
    if (found === wanted.length) break;
    const before = words[at - 1];
    const isValue = before?.isOption === true && takesValue(called, before.text);
    if (word.isOption || word.text === "--" || (isValue && !isNamed(called, before.text, wantedOptions))) continue;
    const name = operandName(called, word.text);
    const isLast = named.isOpenWord && wanted[found] === named.rest.at(-1);
    if (isLast ? name.startsWith(wanted[found] ?? "") : name === wanted[found]) {
      found += 1;
      last = at;
    } else if (before?.isOption !== true || before.text.includes("=") || isNamed(called, before.text, wantedOptions))
      return false;
  }
  if (found < wanted.length) return false;
  if (named.isExact && words.length > last + 1) return false;
  return named.rest.every((text, at) => {
    if (!isOption(text)) return true;
    const places = words.slice(0, reachOfOption(named, at, given)).filter((word) => word.isOption);
    return optionNames(called, text).every((name) => places.some((word) => isNamed(called, word.text, [name])));
  });
}

function isOption(text: string): boolean {
  return /^-[^-]|^--[^-]/u.test(text);
}

function operandName(called: string, text: string): string {
  return called === "npm" || called === "pnpm" ? (npmAliases.get(text) ?? text) : text;
}

/** The letters of a short cluster, or the name of a long option. */
function optionNames(called: string, text: string): string[] {
  const [name = ""] = text.split("=");
  const letter = sameOptions.get(name);
  if (letter !== undefined) return [letterFor(called, letter)];
  if (text.startsWith("--") || singleHyphenPrograms.has(called)) return [text];
  const [, letters = ""] = /^-([A-Za-z]+)/u.exec(text) ?? [];
  if (letters === "" || letters.length > maxClusterLength) return [text];
  return letters.split("").map((each) => (each === "R" && eitherRecursion.has(called) ? "r" : each));
}

function letterFor(called: string, letter: string): string {
  return letter === "r" && capitalRecursion.has(called) ? "R" : letter;
}

/** Whether the option of a command is one of those that a pattern names. Long options may be abbreviated. */
function isNamed(called: string, text: string, wanted: readonly string[]): boolean {
  const [name = ""] = text.split("=");
  if (switchedOff.test(text) && !takesValue(called, name)) return wanted.includes(text);
  const long = [...sameOptions].filter(([each]) => matchesOptionName(name, [each]));
  const own = [...long.map(([, letter]) => letterFor(called, letter)), ...optionNames(called, text)];
  return wanted.some(
    (each) =>
      own.includes(each) ||
      text === each ||
      (each.startsWith("--") && (name === each || matchesOptionName(name, [each.split("=")[0] ?? ""]))),
  );
}
