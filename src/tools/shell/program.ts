/** Which shell runs commands, and the script around each command that reports its final working directory. */
import { findProgram } from "../run-program.ts";
import { readFileSync } from "node:fs";
import { isProgram } from "../../lib/is-program.ts";
import { makesOwnPipes, makesOwnPipesInBash } from "../../lib/own-pipes.ts";
import { quoteForShell } from "../../lib/shell-quote.ts";
import { configuredShell, type Shell } from "./configured-shell.ts";
import type { Environment } from "../../lib/environment.ts";

/** The shell the user chose; otherwise bash, or sh, which understands less. Undefined if there is neither. */
export function findShell(environment: Environment, folder: string): Shell | undefined {
  const chosen = configuredShell(environment);
  if (chosen?.ok === true) return chosen.shell;
  const bash = ["/bin/bash", "/usr/bin/bash"].find(isProgram) ?? findProgram("bash", environment, folder);
  if (bash !== undefined) return { path: bash, isBash: true };
  return isProgram("/bin/sh") ? { path: "/bin/sh", isBash: false } : undefined;
}

// The directory is reported on descriptor 3, which is moved out of the way of commands that use low numbers: by the trap, which also
// runs on `exit`, and once more at the end in case the command set its own trap. The variable PWD is not asked: commands assign to it.
// `eval` keeps a command with an unclosed quote from swallowing what follows it; the command is an argument, never part of this script.
// What the command traces, or does before each further one (trap … DEBUG), is not done for the lines of this script.
const bashReportDescriptor = highDescriptor();
const bashReport = `{ set +xv;trap - DEBUG; } >/dev/null 2>&1;builtin pwd >&${bashReportDescriptor};builtin printf "\\0" >&${bashReportDescriptor}`;
const bashScript = `exec ${bashReportDescriptor}>&3 3>&-;trap '${bashReport}' EXIT;_pawl=$1;shift;eval -- "$_pawl";{ _pawl=$?; } >/dev/null 2>&1;${bashReport};builtin exit $_pawl`;
const bashFileScript = bashScript.replace(
  "_pawl=$1;",
  'builtin printf -v _pawl %b "$1";_pawl=$(<"$_pawl")||builtin exit 126;_pawl=${_pawl%?};',
);
/** The descriptors on which shells report: bash, and sh. */
export const reportDescriptors: readonly number[] = [bashReportDescriptor, 9];
const shReport = '{ set +xv; } 2>/dev/null;command pwd >&9;command printf "\\0" >&9';
const shScript = `exec 9>&3 3>&-;trap '${shReport}' EXIT;_pawl=$1;shift;eval "$_pawl";{ _pawl=$?; } 2>/dev/null;${shReport};exit $_pawl`;
const shFileScript = shScript.replace("_pawl=$1;", '_pawl=$(cat "$(printf %b "$1")")||exit 126;_pawl=${_pawl%?};');

/** The content of a command's file: one more character at the end, since shells drop trailing line ends when they read a file. */
export const commandFileContent = (command: string): string => `${command}.`;

/** The highest descriptor this user may open, at most 198. */
function highDescriptor(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "latin1");
    return Math.min(198, Number(/^Max open files +(\d+)/mu.exec(limits)?.[1] ?? 256) - 1);
  } catch {
    // Not Linux: the limit is at least 256.
    return 198;
  }
}

/** On Linux a single argument is limited to 128 KB (MAX_ARG_STRLEN). Nested quoting may make a command four times as long. */
const longestArgument = 120_000;
const longestQuoted = longestArgument / 5;

/** Programs that find processes by command line, as in `pkill -f vite; vite &`: they would find and end the shell that runs them. */
const processSearchPattern = /\b(?:cmdline|pgrep|pkill|ps)\b/u;

/** Whether a command must, or should, be passed in a file. With a prefix it is passed inline if it fits, since the prefix should see it. */
export function commandFileNeed(command: string, { prefix }: ShellSettings): "needed" | "better" | undefined {
  if (Buffer.byteLength(command) > (prefix === undefined ? longestArgument : longestQuoted)) return "needed";
  return prefix === undefined && processSearchPattern.test(command) ? "better" : undefined;
}

/** The user's settings for how each command is run. */
export interface ShellSettings {
  /** Words of a shell command; the whole command line is appended as one more argument. */
  prefix?: string;
  /** The variable CLAUDE_ENV_FILE names a script to run first, in the same shell. */
  hasEnvFile: boolean;
}

// A file that ends the shell would end each command without a word.
const envFileScript = `_pawl_env=1;[ -f "$CLAUDE_ENV_FILE" ] && . "$CLAUDE_ENV_FILE";unset _pawl_env;`;
const envFileEnd =
  '[ -z "${_pawl_env-}" ]||{ echo "The command was not run: $CLAUDE_ENV_FILE, which CLAUDE_ENV_FILE names, ends the shell (as exit does)." >&2;exit 126; }';
const withEnvFile = (script: string): string =>
  script.replace("' EXIT;", () => `;${envFileEnd}' EXIT;`).replace("shift;", () => `shift;${envFileScript}`);

export interface ShellCall {
  file: string;
  args: readonly string[];
  /** The arguments for a shell that makes its pipes itself. Absent: another program starts the shell. */
  ownPipes?: readonly string[];
}

/** Returns the program and arguments to run. `fromFile`: `command` is the path of a file in the form of `commandFileContent()`. */
export function shellCall(
  shell: Shell,
  command: string,
  { prefix, hasEnvFile, fromFile }: ShellSettings & { fromFile: boolean },
): ShellCall {
  const { path: file, isBash } = shell;
  const plain = isBash ? (fromFile ? bashFileScript : bashScript) : fromFile ? shFileScript : shScript;
  const script = hasEnvFile ? withEnvFile(plain) : plain;
  const begin = isBash ? ["--noprofile", "--norc"] : [];
  const argument = fromFile ? toOctalEscapes(command) : command;
  const withScript = (text: string): string[] => [...begin, "-c", text, isBash ? "bash" : "sh", argument];
  const args = withScript(script);
  if (prefix === undefined)
    return { file, args, ownPipes: withScript((isBash ? makesOwnPipesInBash : makesOwnPipes) + script) };
  const line = [file, ...args].map(quoteForShell).join(" ");
  return { file, args: [...begin, "-c", `${prefix} "$1"`, "sh", line] };
}

/** Encodes a path for the shell's printf, so that a search for processes does not match the project's name in it either. */
function toOctalEscapes(path: string): string {
  return Array.from(Buffer.from(path), (byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("");
}
