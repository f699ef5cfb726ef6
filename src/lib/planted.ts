/** Entries that another user put into a shared folder such as `/tmp` above the working directory: they belong to no project below. */
import { lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { foldersAbove } from "./folders-above.ts";

const othersMayWrite = 0o002;

/** `folder` contains `path`, and is `cwd` or above it. Entries of root, the user, or the owner of `folder` or `cwd` are not planted. */
export function isPlanted(path: string, folder: string, cwd: string): boolean {
  if (folder === cwd) return false;
  try {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined || entry.uid === 0 || entry.uid === process.geteuid?.()) return false;
    const { mode, uid } = statSync(folder);
    return (mode & othersMayWrite) !== 0 && entry.uid !== uid && entry.uid !== statSync(cwd).uid;
  } catch {
    return true;
  }
}

/** Whether any of these names was planted in a folder above `cwd` (absolute). */
export function hasPlantedAbove(cwd: string, names: readonly string[]): boolean {
  return foldersAbove(cwd).some((folder) => names.some((name) => isPlanted(join(folder, name), folder, cwd)));
}
