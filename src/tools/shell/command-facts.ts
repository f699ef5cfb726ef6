/** What is known of programs: whose exit code 1 is an answer, who may run beside others, who is not worth keeping past its time. */
import { readCommandLine, type CommandLine, type SimpleCommand } from "./command-words.ts";

const meanings: ReadonlyMap<string, string> = new Map([
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

/** What exit code 1 of this command says where it is no failure: `no matches found`. */
export function meaningOfExitCodeOne(command: string, hasErrors: boolean): string | undefined {
  const line = readCommandLine(command);
  if (line === undefined || isTurnedRound(line)) return undefined;
  // After && the code may be that of an earlier command, which would have complained; and what is compared may be no output at all.
  const isAlone = line.operators.every((operator) => operator === "|") && !/[<>]\(/u.test(command);
  if (hasErrors && !isAlone) return undefined;
  return meanings.get(programOf(line.commands.at(-1)));
}

/** Behind a ! the code 1 says that the program found something. That of a command before does not count; one before brackets is of all that they hold. */
function isTurnedRound({ operators, beforeLast }: CommandLine): boolean {
  if (operators.some((operator) => /^[(){}]$/.test(operator))) return operators.includes("!");
  const before = operators.slice(0, beforeLast);
  return before.slice(before.findLastIndex((operator) => /^(?:[;\n&]|\|\|)$/.test(operator)) + 1).includes("!");
}

/** Read files and print: no options of theirs write or run anything, none talks to the network. */
const readers: ReadonlySet<string> = new Set([
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

function onlyCommand(line: CommandLine | undefined): SimpleCommand | undefined {
  if (line === undefined || line.operators.length > 0 || line.commands.length !== 1) return undefined;
  const [command] = line.commands;
  return command?.isPlain ? command : undefined;
}

/** Do so as long as none of their words is like this. */
const mostlyReaders: ReadonlyMap<string, RegExp> = new Map([
  ["find", /^-(?:delete|exec|ok|fprint|fls)/],
  ["rg", /^--(?:pre|hostname-bin)/],
  ["sort", /^-(?:[^-]*o|-o|-co)/],
  ["uniq", /^[^-]/],
]);

function onlyReads({ words: [program = "", ...rest], mayGrow }: SimpleCommand): boolean {
  if (readers.has(program)) return true;
  if (mayGrow) return false;
  if (program === "sed") return isPrinting(rest);
  const writes = mostlyReaders.get(program);
  return writes !== undefined && !rest.some((word) => writes.test(word));
}

/** Lines by their numbers: `sed -n 10,50p file`. */
function isPrinting([quiet, script = "", ...files]: readonly string[]): boolean {
  return quiet === "-n" && /^[\d,$]+p$/.test(script) && !files.some((file) => file.startsWith("-"));
}

const pipes: ReadonlySet<string> = new Set(["|", "|&"]);
const joints: ReadonlySet<string> = new Set([...pipes, "&&", "||", ";", "\n"]);

/**
 * Programs of a short list, in pipes or one after the other: nothing they do can disturb another call. `alone`: it may, by failing, as a list
 * does by its last command, and that would end those beside it.
 */
export function plainRead(command: string): "beside" | "alone" | undefined {
  const line = readCommandLine(command);
  if (line === undefined || !line.isInert || !line.operators.every((operator) => joints.has(operator)))
    return undefined;
  if (!line.commands.every(onlyReads)) return undefined;
  return line.operators.every((operator) => pipes.has(operator)) ? "beside" : "alone";
}

/** The one file a plain `cat`, `head`, `tail`, `sed -n` or `grep` shows, and whether all of it. */
export function shownFile(command: string): { path: string; isWhole: boolean } | undefined {
  if (!/^\s*(cat|head|tail|sed|grep)\s/.test(command)) return undefined;
  const only = onlyCommand(readCommandLine(command));
  if (only === undefined) return undefined;
  const [program, ...rest] = only.words;
  const operands = rest.filter((word) => !word.startsWith("-"));
  if (program === "sed" && !rest.includes("-n")) return undefined;
  // What grep and sed look for comes before the file; so may a number for head and tail.
  const path = program === "cat" ? (operands.length === 1 ? operands[0] : undefined) : operands.at(-1);
  const least = program === "grep" || program === "sed" ? 2 : 1;
  if (path === undefined || operands.length < least) return undefined;
  return { path, isWhole: program === "cat" && rest.length === 1 };
}

/** Programs that may stand beside those without making the command worth keeping. */
const companions: ReadonlySet<string> = new Set(["cd", "echo", "export", "git", "sleep", "true"]);

/** Waiting, and git (which would hold its locks), gain nothing from going on in the background: they are ended when their time is up. */
export function isEndedAtTimeout(command: string): boolean {
  const line = readCommandLine(command);
  if (line === undefined) return true;
  const programs = line.commands.map(({ words }) => words[0] ?? "");
  return (
    programs.every((program) => companions.has(program)) && programs.some((one) => one === "sleep" || one === "git")
  );
}
