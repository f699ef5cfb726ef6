/** The command's own words: a line on stderr, written before `say` returns since the process may be about to end; a text on stdout. */
import { writeSync } from "node:fs";
import type { Writable } from "node:stream";
import { isatty } from "node:tty";
import { withoutControls } from "../lib/json-line.ts";
import { sanitize } from "../lib/sanitize.ts";
import { reasonOf, systemCode } from "../lib/system-reason.ts";
import { exitCodes } from "../surface/headless/exit-code.ts";
import { hanging } from "../surface/show/hanging.ts";

export function say(text: string): void {
  try {
    writeSync(2, `${said(text, terminalColumns())}\n`);
  } catch (error) {
    // Nobody reads stderr, or what it is written to takes no more: the exit code still tells.
    if (systemCode(error) === undefined) throw error;
  }
}

let isHeard = false;

/** Of stderr; undefined where it is no terminal. */
function terminalColumns(): number | undefined {
  if (!isatty(2)) return undefined;
  const { stderr } = process;
  // Node asks a terminal that is gone for its size, and tells of it here.
  if (!isHeard) stderr.on("error", () => undefined);
  isHeard = true;
  return stderr.columns;
}

/** One line, whatever is in it; on a terminal of so many columns its words stay whole. */
export function said(text: string, columns: number | undefined): string {
  const line = `pawl: ${sanitize(text).trimEnd().replaceAll("\n", " ")}`;
  return columns === undefined || columns === 0 ? line : hanging(line, columns);
}

/** What was to be printed could not be: a full disk, and the like. Its message is for people. */
export class OutputError extends Error {
  override readonly name = "OutputError";
}

/** False where nobody reads any more. Throws `OutputError`. */
export function written(stdout: Writable & { isTTY?: boolean }, text: string): Promise<boolean> {
  if (stdout.destroyed || stdout.errored !== null) return Promise.resolve(false);
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      if (error.code === "EPIPE") return resolve(false);
      reject(new OutputError(`the output could not be written: ${reasonOf(error)}`, { cause: error }));
    };
    stdout.once("error", failed);
    stdout.write(stdout.isTTY === true ? withoutControls(text) : text, (error) => {
      if (error !== null && error !== undefined) return;
      stdout.off("error", failed);
      resolve(true);
    });
  });
}

/** Answers the exit code: a reader that has gone has what it wanted. Throws `OutputError`. */
export async function print(text: string): Promise<number> {
  await written(process.stdout, text);
  return exitCodes.success;
}
