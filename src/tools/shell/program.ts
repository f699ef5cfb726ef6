/** Which shell runs commands, and the few words around each that report where it ended. */
import { findProgram } from "../run-program.ts";
import { readFileSync } from "node:fs";
import { isProgram } from "../../lib/is-program.ts";
import { makesOwnPipes } from "../../lib/own-pipes.ts";
import { shellQuoted } from "../../lib/shell-quote.ts";
import { chosenShell, type Shell } from "./chosen-shell.ts";
import type { Variables } from "../variables.ts";

/** The user's own; bash where the machine has it; else sh, which understands less. Undefined where there is neither. */
export function findShell(environment: Variables, folder: string): Shell | undefined {
  const chosen = chosenShell(environment);
  if (chosen?.ok === true) return chosen.shell;
  const bash = ["/bin/bash", "/usr/bin/bash"].find(isProgram) ?? findProgram("bash", environment, folder);
  if (bash !== undefined) return { path: bash, isBash: true };
  return isProgram("/bin/sh") ? { path: "/bin/sh", isBash: false } : undefined;
}

// The directory is reported on descriptor 3, moved out of the way of commands that use low numbers: by the trap, which an
// `exit` in the command reaches, and once more at the end, in case the command set a trap of its own. `eval` keeps a command
// with a broken quote from swallowing what follows it; its text is an argument, never part of this script.
const away = highDescriptor();
const report = `{ set +x; } 2>/dev/null;builtin printf "%s\\0" "$PWD" >&${away}`;
const bashScript = `exec ${away}>&3 3>&-;trap '${report}' EXIT;_pawl=$1;shift;eval -- "$_pawl";{ _pawl=$?; } 2>/dev/null;${report};builtin exit $_pawl`;
const bashFileScript = bashScript.replace(
  "_pawl=$1;",
  'builtin printf -v _pawl %b "$1";_pawl=$(<"$_pawl")||builtin exit 126;_pawl=${_pawl%?};',
);
/** Where a shell reports from: bash, and sh. */
export const reportDescriptors: readonly number[] = [away, 9];
const shReport = `{ set +x; } 2>/dev/null;printf "%s\\0" "$PWD" >&9`;
const shScript = `exec 9>&3 3>&-;trap '${shReport}' EXIT;_pawl=$1;shift;eval "$_pawl";{ _pawl=$?; } 2>/dev/null;${shReport};exit $_pawl`;
const shFileScript = shScript.replace("_pawl=$1;", '_pawl=$(cat "$(printf %b "$1")")||exit 126;_pawl=${_pawl%?};');

/** A command as its file holds it: with one sign more, since shells leave out the line ends at a file's end. */
export const asFile = (command: string): string => `${command}.`;

/** One that the system lets this user have. */
function highDescriptor(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "latin1");
    return Math.min(198, Number(/^Max open files +(\d+)/mu.exec(limits)?.[1] ?? 256) - 1);
  } catch {
    // No Linux: there are 256 at least.
    return 198;
  }
}

/** Linux takes no single argument longer than 128 KB (MAX_ARG_STRLEN). Quotes within quotes may make a command four times as long. */
const longestArgument = 120_000;
const longestQuoted = longestArgument / 5;

/** What looks processes up by their command lines, as in `pkill -f vite; vite &`: it would find the shell that it is in, and end it. */
const seeksProcesses = /\b(?:cmdline|pgrep|pkill|ps)\b/u;

/** Whether a command is to be handed over in a file: it has to, or is better off. What the user has it begin with is to see it. */
export function fileFor(command: string, { prefix }: ShellUse): "needed" | "better" | undefined {
  if (Buffer.byteLength(command) > (prefix === undefined ? longestArgument : longestQuoted)) return "needed";
  return prefix === undefined && seeksProcesses.test(command) ? "better" : undefined;
}

/** What the user has each command begin with. */
export interface ShellUse {
  /** Words of a shell; they get the whole command line as one more. */
  prefix?: string;
  /** The variable CLAUDE_ENV_FILE names a script that runs first, in the same shell. */
  hasEnvFile: boolean;
}

const readEnvFile = `[ -f "$CLAUDE_ENV_FILE" ] && . "$CLAUDE_ENV_FILE";`;

export interface ShellCall {
  file: string;
  args: readonly string[];
  /** The same where the shell makes its pipes itself. Absent: somebody else starts it. */
  ownPipes?: readonly string[];
}

/** What is to be run. `fromFile`: `command` is the path of a file that holds it, as `asFile()` has it. */
export function shellCall(
  shell: Shell,
  command: string,
  { prefix, hasEnvFile, fromFile }: ShellUse & { fromFile: boolean },
): ShellCall {
  const { path: file, isBash } = shell;
  const plain = isBash ? (fromFile ? bashFileScript : bashScript) : fromFile ? shFileScript : shScript;
  const script = hasEnvFile ? plain.replace("shift;", `shift;${readEnvFile}`) : plain;
  const begin = isBash ? ["--noprofile", "--norc"] : [];
  const given = fromFile ? inDigits(command) : command;
  const withScript = (text: string): string[] => [...begin, "-c", text, isBash ? "bash" : "sh", given];
  const args = withScript(script);
  if (prefix === undefined) return { file, args, ownPipes: withScript(makesOwnPipes + script) };
  const line = [file, ...args].map(shellQuoted).join(" ");
  return { file, args: [...begin, "-c", `${prefix} "$1"`, "sh", line] };
}

/** A path as the printf of shells reads it: what is looked for by its words is not to be found by the project's name in it either. */
function inDigits(path: string): string {
  return Array.from(Buffer.from(path), (byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("");
}
