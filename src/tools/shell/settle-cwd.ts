/** The folder in which a command ended becomes the start of the next command, if the session may work there. */
import { isUtf8 } from "node:buffer";
import { realpath } from "node:fs/promises";
import { isWithin } from "../../lib/is-within.ts";
import { cwdResetLine, leavesFolder, type Cwd } from "../cwd.ts";

async function isAllowed(directory: string, roots: readonly string[]): Promise<boolean> {
  const real = await realpath(directory).catch(() => undefined);
  if (real === undefined) return false;
  for (const root of roots) {
    const realRoot = await realpath(root).catch(() => undefined);
    if (realRoot !== undefined && isWithin(real, realRoot)) return true;
  }
  return false;
}

/**
 * Adopts the folder in which a command ended. `reported` is that folder as bytes, undefined if the shell did not report it: it did not end,
 * it was killed or replaced, or a trap of the command's own ran in place of the report.
 * Returns the line to show the model if the next command begins elsewhere than the model would think.
 */
export async function settleCwd(
  cwd: Cwd,
  command: string,
  startFolder: string,
  reported: Buffer | undefined,
): Promise<string | undefined> {
  if (reported === undefined)
    return leavesFolder(command, startFolder) === true ? cwdResetLine(startFolder) : undefined;
  const directory = isUtf8(reported) ? reported.toString() : undefined;
  if (directory === startFolder) return undefined;
  const roots = cwd.roots();
  if (directory !== undefined && cwd.carriesOver && (await isAllowed(directory, roots))) {
    cwd.set(directory);
    return undefined;
  }
  const back = cwd.carriesOver ? (roots[0] ?? startFolder) : startFolder;
  cwd.set(back);
  return cwdResetLine(back);
}
