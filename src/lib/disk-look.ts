/** What the disk shows of a path. What cannot be seen is as what is not there, and nothing throws, but where it says so. */
import { lstatSync, readdirSync, realpathSync, statSync, type Dirent, type Stats } from "node:fs";
import { hasCode } from "./error-text.ts";

/** Of where a link leads. */
export function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** A link that leads nowhere, or in a circle: somebody has put it there all the same. */
export function isBrokenLink(path: string): boolean {
  try {
    return entryAt(path)?.isSymbolicLink() === true && statusOf(path) === undefined;
  } catch {
    return false;
  }
}

export function isFolder(path: string): boolean {
  return statusOf(path)?.isDirectory() === true;
}

export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

export function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Of a link itself. Throws where that cannot be told. */
export function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // Below a file, such as the `.git` of a work tree, nothing is.
    if (hasCode(error, "ENOTDIR")) return undefined;
    throw error;
  }
}

/** A link is, wherever it leads. Throws where that cannot be told. */
export function isThere(path: string): boolean {
  return entryAt(path) !== undefined;
}

/** The same of what may not be looked at: it is not. */
export function isListed(path: string): boolean {
  try {
    return isThere(path);
  } catch {
    return false;
  }
}
