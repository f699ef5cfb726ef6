/**
 * Creates a folder and its missing parents, level by level. Node.js' own recursion never ends if a file system reports "no such folder"
 * below a folder that exists, as /proc does.
 */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { hasErrorCode } from "./error-text.ts";

/** `path` is absolute. Returns true if it did not exist before. Throws file system errors. `mode` applies to each folder created. */
export function makeFolders(path: string, mode = 0o777): boolean {
  const found = isFolder(path);
  if (found === true) return false;
  // A file is in the folder's place: let the file system report it.
  if (found === false) mkdirSync(path, { mode });
  // Check only once: at a second check another process may have created it.
  const missing = [path];
  for (
    let folder = dirname(path);
    isFolder(folder) === undefined && dirname(folder) !== folder;
    folder = dirname(folder)
  )
    missing.unshift(folder);
  for (const level of missing) makeFolder(level, mode);
  return true;
}

function makeFolder(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process created it first.
    if (!hasErrorCode(error, "EEXIST") || isFolder(folder) !== true) throw error;
  }
}

/** Undefined if nothing is there. */
function isFolder(path: string): boolean | undefined {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory();
}
