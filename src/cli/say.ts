/** The command's own words: a line on stderr, written before `say` returns since the process may be about to end; a text on stdout. */
import { writeSync } from "node:fs";
import { sanitize } from "../lib/sanitize.ts";
import { exitCodes } from "../surface/headless/exit-code.ts";

/** Nobody reads stderr, or what it is written to is full: the exit code still tells. */
const unheard = ["EPIPE", "EAGAIN", "EBADF", "EIO", "ENOSPC"];

export function say(text: string): void {
  try {
    writeSync(2, `pawl: ${sanitize(text).trimEnd().replaceAll("\n", " ")}\n`);
  } catch (error) {
    if (!unheard.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** Answers the exit code: a reader that has gone has what it wanted, a full disk is an error. */
export function print(text: string): Promise<number> {
  return new Promise((resolve) => {
    const { stdout } = process;
    const failed = (error: NodeJS.ErrnoException): void => {
      if (error.code === "EPIPE") return resolve(exitCodes.success);
      say(`the output could not be written: ${error.message}`);
      resolve(exitCodes.error);
    };
    stdout.once("error", failed);
    stdout.write(text, (error) => {
      if (error !== null && error !== undefined) return;
      stdout.off("error", failed);
      resolve(exitCodes.success);
    });
  });
}
