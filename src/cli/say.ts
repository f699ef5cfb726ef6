/** The command's own output: lines on stderr, written before `say` returns since the process may be about to end; text on stdout. */
import { writeSync } from "node:fs";
import type { Writable } from "node:stream";
import { isatty } from "node:tty";
import { escapeControls } from "../lib/json-line.ts";
import { sanitizeLine } from "../lib/sanitize.ts";
import { reasonOf, systemCode } from "../lib/system-reason.ts";
import { exitCodes } from "../surface/headless/exit-code.ts";
import { wrapHanging } from "../surface/show/wrap-hanging.ts";

export function say(text: string): void {
  try {
    writeSync(2, `${formatLine(text, terminalColumns())}\n`);
  } catch (error) {
    // Nobody reads stderr, or its file takes no more data: the exit code still reports the outcome.
    if (systemCode(error) === undefined) throw error;
  }
}

let listensForErrors = false;

/** Returns the width of stderr, or undefined if it is not a terminal. */
function terminalColumns(): number | undefined {
  if (!isatty(2)) return undefined;
  const { stderr } = process;
  // Node asks for the size of a terminal even when it is gone, and reports the failure as an `error` event.
  if (!listensForErrors) stderr.on("error", () => undefined);
  listensForErrors = true;
  return stderr.columns;
}

/** Returns `text` as one line. Given a terminal's width, wraps it between words. */
export function formatLine(text: string, columns: number | undefined): string {
  const line = `pawl: ${sanitizeLine(text).trimEnd()}`;
  return columns === undefined || columns === 0 ? line : wrapHanging(line, columns);
}

/** Output could not be written, for example to a full disk. The message is for people. */
export class OutputError extends Error {
  override readonly name = "OutputError";
}

/** Writes `text` and returns false if the reader is gone. Throws `OutputError`. */
export function writeOutput(stdout: Writable & { isTTY?: boolean }, text: string): Promise<boolean> {
  if (stdout.destroyed || stdout.errored !== null) return Promise.resolve(false);
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      if (error.code === "EPIPE") return resolve(false);
      reject(new OutputError(`the output could not be written: ${reasonOf(error)}`, { cause: error }));
    };
    stdout.once("error", onError);
    stdout.write(stdout.isTTY === true ? escapeControls(text) : text, (error) => {
      if (error !== null && error !== undefined) return;
      stdout.off("error", onError);
      resolve(true);
    });
  });
}

/** Returns the exit code, which is success even if the reader is gone: it has read what it wanted. Throws `OutputError`. */
export async function print(text: string): Promise<number> {
  await writeOutput(process.stdout, text);
  return exitCodes.success;
}
