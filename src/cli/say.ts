/** The command's own words: a line on stderr, written before `say` returns since the process may be about to end; a text on stdout. */
import { writeSync } from "node:fs";
import type { Writable } from "node:stream";
import { withoutControls } from "../lib/json-line.ts";
import { sanitize } from "../lib/sanitize.ts";
import { reasonOf, systemCode } from "../lib/system-reason.ts";
import { exitCodes } from "../surface/headless/exit-code.ts";

export function say(text: string): void {
  try {
    writeSync(2, `pawl: ${sanitize(text).trimEnd().replaceAll("\n", " ")}\n`);
  } catch (error) {
    // Nobody reads stderr, or what it is written to takes no more: the exit code still tells.
    if (systemCode(error) === undefined) throw error;
  }
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
