/** What the disk shows of a path. What cannot be seen is as what is not there, and nothing throws, but where it says so. */
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
import { hasCode } from "./error-text.ts";

/** Nothing is found by a longer one, and each of its folders would be looked at. */
const longestPath = 4096;

/** Of where a link leads. */
export function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/**
 * The path as what is there is spelled: archives of a Mac write an accent as a character of its own, people and models as one with its
 * letter. Undefined where nothing is there. Absolute.
 */
export function spelledAs(path: string): string | undefined {
  return new Spellings().of(path);
}

/** The same of many paths at once: each folder is read once for all of them, and what comes into it since is not seen. */
export class Spellings {
  readonly #folders = new Map<string, ReadonlyMap<string, string>>();

  of(path: string): string | undefined {
    if (statusOf(path) !== undefined) return path;
    if (path.length > longestPath || /^[ -~]*$/u.test(path)) return undefined;
    let place = parse(path).root;
    for (const name of path.slice(place.length).split(sep)) {
      const next = join(place, name);
      const own = statusOf(next) === undefined ? this.#namesIn(place).get(name.normalize("NFC")) : name;
      if (own === undefined) return undefined;
      place = join(place, own);
    }
    return place;
  }

  /** By what they are with each accent in one with its letter. */
  #namesIn(folder: string): ReadonlyMap<string, string> {
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const names = new Map(entriesOf(folder).map(({ name }) => [name.normalize("NFC"), name]));
    this.#folders.set(folder, names);
    return names;
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

/** Why such a link cannot be read: a clause for people. */
export const brokenLink = "it is a link to what is not there";

export function isFolder(path: string): boolean {
  return statusOf(path)?.isDirectory() === true;
}

/** A folder that a program can be started in. */
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
