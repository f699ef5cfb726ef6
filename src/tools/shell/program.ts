/** Which shell runs commands, and the few words around each that report where it ended. */
import { findProgram } from "../run-program.ts";
import { access, constants } from "node:fs/promises";

export interface Shell {
  path: string;
  isBash: boolean;
}

/** bash where the machine has it; else sh, which understands less. Undefined where there is neither. */
export async function findShell(searchPath: string | undefined): Promise<Shell | undefined> {
  const bash = (await usual("/bin/bash")) ?? (await usual("/usr/bin/bash")) ?? (await findProgram("bash", searchPath));
  if (bash !== undefined) return { path: bash, isBash: true };
  const sh = await usual("/bin/sh");
  return sh === undefined ? undefined : { path: sh, isBash: false };
}

async function usual(path: string): Promise<string | undefined> {
  return await access(path, constants.X_OK).then(
    () => path,
    () => undefined,
  );
}

// The directory is reported on descriptor 3, moved out of the way of commands that use low numbers: by the trap, which an
// `exit` in the command reaches, and once more at the end, in case the command set a trap of its own. `eval` keeps a command
// with a broken quote from swallowing what follows it; its text is an argument, never part of this script.
const report = `{ set +x; } 2>/dev/null;builtin printf "%s\\0" "$PWD" >&198`;
const bashScript = `exec 198>&3 3>&-;trap '${report}' EXIT;_pawl=$1;shift;eval -- "$_pawl";{ _pawl=$?; } 2>/dev/null;${report};exit $_pawl`;
const bashFileScript = bashScript.replace("_pawl=$1;", '_pawl=$(<"$1");');
const shReport = `{ set +x; } 2>/dev/null;printf "%s\\0" "$PWD" >&9`;
const shScript = `exec 9>&3 3>&-;trap '${shReport}' EXIT;_pawl=$1;shift;eval "$_pawl"`;
const shFileScript = shScript.replace("_pawl=$1;", '_pawl=$(cat "$1");');

/** Linux takes no single argument longer than 128 KB (MAX_ARG_STRLEN). */
export const longestArgument = 120_000;

/** The argument list. `fromFile`: `command` is the path of a file that holds it. */
export function shellArguments(shell: Shell, command: string, fromFile: boolean): string[] {
  if (!shell.isBash) return ["-c", fromFile ? shFileScript : shScript, "sh", command];
  return ["--noprofile", "--norc", "-c", fromFile ? bashFileScript : bashScript, "bash", command];
}
