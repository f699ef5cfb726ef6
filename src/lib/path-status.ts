/** What the disk shows at a path. Anything that cannot be seen counts as missing, and nothing throws unless it says so. */
import {
  accessSync,
  constants,
  lstatSync,
  readdirSync,
  realpathSync,
  statSync,
  type Dirent,
  type Stats,
} from "node:fs";
import { join, parse, sep } from "node:path";
import { hasErrorCode } from "./error-text.ts";

/** A path longer than this cannot be opened, and each of its folders would be read. */
const maxPathLength = 4096;

/** The status of a path; for a link, of what it leads to. */
export function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/**
 * Returns the path spelled as it is on disk: archives made on a Mac store an accent as a separate character, while people and models write
 * it combined with its letter. Undefined if nothing is there. Absolute.
 */
export function spellingOnDisk(path: string): string | undefined {
  return new DiskSpellings().spellingOf(path);
}

/** The same for many paths: each folder is read only once, so later additions are not seen. */
export class DiskSpellings {
  readonly #folders = new Map<string, ReadonlyMap<string, string>>();

  spellingOf(path: string): string | undefined {
    if (statusOf(path) !== undefined) return path;
    if (path.length > maxPathLength || /^[ -~]*$/u.test(path)) return undefined;
    let place = parse(path).root;
    for (const name of path.slice(place.length).split(sep)) {
      const next = join(place, name);
      const own = statusOf(next) === undefined ? this.#namesIn(place).get(name.normalize("NFC")) : name;
      if (own === undefined) return undefined;
      place = join(place, own);
    }
    return place;
  }

  /** The names in a folder, keyed by their composed (NFC) form. */
  #namesIn(folder: string): ReadonlyMap<string, string> {
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const names = new Map(entriesOf(folder).map(({ name }) => [name.normalize("NFC"), name]));
    this.#folders.set(folder, names);
    return names;
  }
}

export function isLink(path: string): boolean {
  try {
    return entryStatus(path)?.isSymbolicLink() === true;
  } catch {
    return false;
  }
}

/** Whether the path is a link that leads nowhere or in a circle. */
export function isBrokenLink(path: string): boolean {
  return isLink(path) && statusOf(path) === undefined;
}

/** Why a broken link cannot be read: a clause for people. */
export const brokenLinkReason = "it is a link to something that does not exist";

export function isFolder(path: string): boolean {
  return statusOf(path)?.isDirectory() === true;
}

/** Whether a program can be started in this folder. */
export function isEnterable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return isFolder(path);
  } catch {
    return false;
  }
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

/** The status of a link itself. Throws if it cannot be determined. */
export function entryStatus(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // Nothing can be below a file, such as the `.git` of a work tree.
    if (hasErrorCode(error, "ENOTDIR")) return undefined;
    throw error;
  }
}

/** A link counts as there, wherever it leads. Throws if it cannot be determined. */
export function pathExists(path: string): boolean {
  return entryStatus(path) !== undefined;
}

/** Like `pathExists`, but false if the path may not be looked at. */
export function isKnownToExist(path: string): boolean {
  try {
    return pathExists(path);
  } catch {
    return false;
  }
}
