/** Facts about programs: whose exit code 1 is an answer, which may run in parallel, and which are not worth keeping past the timeout. */
import { readCommandLine, type CommandLine, type SimpleCommand } from "./command-line.ts";

const exitCodeOneMeanings: ReadonlyMap<string, string> = new Map([
  ["grep", "no matches found"],
  ["rg", "no matches found"],
  ["egrep", "no matches found"],
  ["fgrep", "no matches found"],
  ["git grep", "no matches found"],
  ["find", "some folders could not be read"],
  ["diff", "the files differ"],
  ["cmp", "the files differ"],
  ["git diff", "there are differences"],
  ["test", "the condition is false"],
  ["[", "the condition is false"],
  ["which", "not every program was found"],
  ["readlink", "no link is there"],
]);

function programOf(command: SimpleCommand | undefined): string {
  const [program = "", argument = ""] = command?.words ?? [];
  return program === "git" ? `git ${argument}` : program;
}

/** What exit code 1 of this command means if it is not a failure, such as `no matches found`. */
export function meaningOfExitCodeOne(command: string, hasErrors: boolean): string | undefined {
  const line = readCommandLine(command);
  const last = line?.commands.at(-1);
  if (line === undefined || last === undefined || isNegated(line, last) || mayComeFromBefore(line, last))
    return undefined;
  // After && the code may come from an earlier command, which would have printed an error; what <( ) compares may be no output at all.
  const isAlone = line.operators.every((operator) => operator === "|") && !/[<>]\(/u.test(command);
  if (hasErrors && !isAlone) return undefined;
  return exitCodeOneMeanings.get(programOf(last));
}

const brackets = /^[(){}]$/;

/** The index of the first operator of the list of `&&` and `||` that `last` ends; 0 if there are brackets, which are not looked into. */
function startOfList({ operators }: CommandLine, { operatorsBefore }: SimpleCommand): number {
  const before = operators.slice(0, operatorsBefore);
  return before.some((operator) => brackets.test(operator))
    ? 0
    : before.findLastIndex((operator) => /^[;\n&]$/.test(operator)) + 1;
}

/** Programs that print an error if they exit with code 1. Tests and linters (`[`, `eslint`) do not. */
const programsThatSayWhy: ReadonlySet<string> = new Set([
  "cat",
  "cd",
  "cp",
  "echo",
  "export",
  "ls",
  "mkdir",
  "mv",
  "popd",
  "printf",
  "pushd",
  "pwd",
  "rm",
  "sleep",
  "touch",
  "true",
]);

/** Builtins that make the shell end with the code of an earlier command, or with one of their own. */
const wordsThatEnd: ReadonlySet<string> = new Set(["exit", "return", "set"]);

/** Whether the exit code may be that of a command before the last, which need not have printed an error. */
function mayComeFromBefore(line: CommandLine, last: SimpleCommand): boolean {
  const earlier = line.commands.slice(0, -1);
  // The second word: `then exit 1`.
  if (earlier.some(({ words }) => words.slice(0, 2).some((word) => wordsThatEnd.has(word)))) return true;
  const start = startOfList(line, last);
  if (!line.operators.slice(start, last.operatorsBefore).includes("&&")) return false;
  return earlier.some(
    ({ words, operatorsBefore }) => operatorsBefore >= start && !programsThatSayWhy.has(words[0] ?? ""),
  );
}

/** Whether `!` inverts the exit code: 1 then means a match. Only a `!` before the last command or before brackets around it counts. */
function isNegated({ operators }: CommandLine, { operatorsBefore }: SimpleCommand): boolean {
  if (operators.some((operator) => brackets.test(operator))) return operators.includes("!");
  const before = operators.slice(0, operatorsBefore);
  return before.slice(before.findLastIndex((operator) => /^(?:[;\n&]|\|\|)$/.test(operator)) + 1).includes("!");
}

/** Programs that read files and print: none of their options writes, runs a program or uses the network. */
const readingPrograms: ReadonlySet<string> = new Set([
  "basename",
  "cat",
  "cmp",
  "comm",
  "cut",
  "diff",
  "dirname",
  "du",
  "echo",
  "egrep",
  "fgrep",
  "grep",
  "head",
  "ls",
  "nl",
  "paste",
  "pwd",
  "readlink",
  "realpath",
  "rev",
  "stat",
  "tac",
  "tail",
  "tr",
  "true",
  "uname",
  "wc",
  "which",
  "whoami",
]);

function singlePlainCommand(line: CommandLine | undefined): SimpleCommand | undefined {
  if (line === undefined || line.operators.length > 0 || line.commands.length !== 1) return undefined;
  const [command] = line.commands;
  return command?.isPlain ? command : undefined;
}

/** Programs that only read unless one of their words matches. */
const mostlyReaders: ReadonlyMap<string, RegExp> = new Map([
  ["find", /^-(?:delete|exec|ok|fprint|fls)/],
  ["rg", /^--(?:pre|hostname-bin)/],
  ["sort", /^-(?:[^-]*o|-o|-co)/],
  ["uniq", /^[^-]/],
]);

function onlyReads({ words: [program = "", ...rest], mayAddOptions }: SimpleCommand): boolean {
  if (readingPrograms.has(program)) return true;
  if (mayAddOptions) return false;
  if (program === "sed") return isSedPrinting(rest);
  const writes = mostlyReaders.get(program);
  return writes !== undefined && !rest.some((word) => writes.test(word));
}

/** Whether sed only prints lines by number: `sed -n 10,50p file`. */
function isSedPrinting([quiet, script = "", ...files]: readonly string[]): boolean {
  return quiet === "-n" && /^[\d,$]+p$/.test(script) && !files.some((file) => file.startsWith("-"));
}

const pipeOperators: ReadonlySet<string> = new Set(["|", "|&"]);
const sequenceOperators: ReadonlySet<string> = new Set([...pipeOperators, "&&", "||", ";", "\n"]);

/**
 * Whether the command consists of programs from a short list, in pipes or in sequence, so that it cannot disturb another call.
 * `alone`: it can still fail, as a list does with its last command, and that would cancel the calls beside it.
 */
export function readOnlyKind(command: string): "beside" | "alone" | undefined {
  const line = readCommandLine(command);
  if (line === undefined || !line.isInert || !line.operators.every((operator) => sequenceOperators.has(operator)))
    return undefined;
  if (!line.commands.every(onlyReads)) return undefined;
  return line.operators.every((operator) => pipeOperators.has(operator)) ? "beside" : "alone";
}

/** The single file that a plain `cat`, `head`, `tail`, `sed -n` or `grep` shows, and whether it shows the whole file. */
export function shownFile(command: string): { path: string; isWhole: boolean } | undefined {
  if (!/^\s*(cat|head|tail|sed|grep)\s/.test(command)) return undefined;
  const only = singlePlainCommand(readCommandLine(command));
  if (only === undefined) return undefined;
  const [program, ...rest] = only.words;
  const operands = rest.filter((word) => !word.startsWith("-"));
  if (program === "sed" && !rest.includes("-n")) return undefined;
  // grep and sed take what they look for before the file; head and tail may take a number before it.
  const path = program === "cat" ? (operands.length === 1 ? operands[0] : undefined) : operands.at(-1);
  const least = program === "grep" || program === "sed" ? 2 : 1;
  if (path === undefined || operands.length < least) return undefined;
  return { path, isWhole: program === "cat" && rest.length === 1 };
}

/** Programs that may accompany `sleep` or `git` without making the command worth keeping. */
const companionPrograms: ReadonlySet<string> = new Set(["cd", "echo", "export", "git", "sleep", "true"]);

/** Waiting gains nothing in the background, nor does git, which would hold its locks: such commands are ended at their timeout. */
export function isEndedAtTimeout(command: string): boolean {
  const line = readCommandLine(command);
  if (line === undefined) return true;
  const programs = line.commands.map(({ words }) => words[0] ?? "");
  return (
    programs.every((program) => companionPrograms.has(program)) &&
    programs.some((one) => one === "sleep" || one === "git")
  );
}
