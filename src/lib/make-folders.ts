/**
 * A folder with what is missing above it, made level by level. Node's own recursion goes round for ever where a file system
 * answers "no such folder" below a folder that is there, as /proc does.
 */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { hasCode } from "./error-text.ts";

/** `path` is absolute. True where it was not there before. Throws what the file system throws. `mode` is that of each folder made. */
export function makeFolders(path: string, mode = 0o777): boolean {
  const found = isFolder(path);
  if (found === true) return false;
  // A file where the folder should be: the file system says it best.
  if (found === false) mkdirSync(path, { mode });
  // Looked at once: at a second look another process may have made it.
  const missing = [path];
  for (
    let folder = dirname(path);
    isFolder(folder) === undefined && dirname(folder) !== folder;
    folder = dirname(folder)
  )
    missing.unshift(folder);
  for (const level of missing) makeOne(level, mode);
  return true;
}

function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process was quicker.
    if (!hasCode(error, "EEXIST") || isFolder(folder) !== true) throw error;
  }
}

/** Undefined where nothing is there. */
function isFolder(path: string): boolean | undefined {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory();
}
