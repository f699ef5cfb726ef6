/** A line of the command's own on stderr, written before `say` returns: the process may be about to end. */
import { writeSync } from "node:fs";
import { sanitize } from "../lib/sanitize.ts";

/** Nobody reads stderr, or its pipe is full: the exit code still tells. */
const unheard = ["EPIPE", "EAGAIN", "EBADF", "EIO"];

export function say(text: string): void {
  try {
    writeSync(2, `pawl: ${sanitize(text).trimEnd().replaceAll("\n", " ")}\n`);
  } catch (error) {
    if (!unheard.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
