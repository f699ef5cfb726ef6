/**
 * Checks that an opened file or folder lies where it was judged to lie. The open handle is asked, because nobody can exchange what it
 * refers to. Only Linux can name a handle's path (in /proc); elsewhere the path is checked again instead.
 */
import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { hasErrorCode } from "./error-text.ts";
import { makeFolders } from "./make-folders.ts";
import { hasOwnProc } from "./own-proc.ts";
import { isLink } from "./path-status.ts";

/** The path leads elsewhere now: somebody changed it between the check and the use. */
export class MovedError extends Error {
  override readonly name = "MovedError";

  constructor(place: string) {
    super(`${place} has changed since it was checked`);
  }
}

export interface HeldFolder {
  /** A path for this name in the folder that stays valid whatever happens to the folder's original path. */
  pathOf(name: string): string;
  /** Throws a `MovedError` if the path leads elsewhere now and the folder could not be held. */
  check(): void;
  close(): void;
}

/** O_PATH, which Node.js has no name for: also opens folders that may be written but not listed. */
const pathOnlyFlag = process.platform === "linux" ? 0o10000000 : 0;
const folderFlags = pathOnlyFlag | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Undefined if the system does not tell. */
function realPathOfHandle(descriptor: number): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return readlinkSync(handlePath(descriptor));
  } catch {
    return undefined;
  }
}

function handlePath(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`;
}

/** A path by which a program that this process starts can open what the handle holds. Undefined if only the original path is left. */
export function handlePathForChild(descriptor: number): string | undefined {
  return realPathOfHandle(descriptor) === undefined || !hasOwnProc()
    ? undefined
    : `/proc/${process.pid}/fd/${descriptor}`;
}

/** Opens `real` (which has no links) through `path`, which led there. Throws a `MovedError`, and file system errors. */
export function openVerified(path: string, real: string, flags: number): number {
  const descriptor = openRefusingLinks(path, path === real ? flags | constants.O_NOFOLLOW : flags);
  try {
    assertLiesAt(descriptor, real);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function openRefusingLinks(path: string, flags: number): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // If a folder is wanted, Linux reports a link as "not a directory".
    const isAtLink = code === "ELOOP" || (code === "ENOTDIR" && isLink(path));
    if (isAtLink && (flags & constants.O_NOFOLLOW) !== 0) throw new MovedError(path);
    throw error;
  }
}

function assertLiesAt(descriptor: number, real: string): void {
  const realPath = realPathOfHandle(descriptor);
  if (realPath === undefined ? !isStillAt(descriptor, real) : realPath !== real) throw new MovedError(real);
}

function isStillAt(descriptor: number, real: string): boolean {
  const opened = fstatSync(descriptor);
  const found = lstatSync(real, { throwIfNoEntry: false });
  return found?.dev === opened.dev && found.ino === opened.ino && realpathSync.native(real) === real;
}

/** `path` must have no links now. Missing folders are created, each inside the one before it. Throws as `openVerified` does. */
export function holdFolder(path: string): HeldFolder {
  const nearest = nearestFolder(path);
  const held = openVerified(nearest, nearest, folderFlags);
  if (realPathOfHandle(held) !== undefined)
    return createHeldFolder(makeFoldersBelow(held, namesBelow(nearest, path)), path);
  closeSync(held);
  makeFolders(path);
  const unheld: HeldFolder = {
    pathOf: (name) => join(path, name),
    check: () => {
      // HFS+ stores names decomposed, however they were given.
      if (realpathSync.native(path).normalize() !== path.normalize()) throw new MovedError(path);
    },
    close: () => {},
  };
  unheld.check();
  return unheld;
}

function createHeldFolder(descriptor: number, path: string): HeldFolder {
  return {
    pathOf: (name) => join(handlePath(descriptor), name),
    // A held folder that was moved is still the judged folder, but no longer at the judged place.
    check: () => assertLiesAt(descriptor, path),
    close: () => closeSync(descriptor),
  };
}

/** Returns `path` or the nearest folder above it that exists. */
function nearestFolder(path: string): string {
  let folder = path;
  while (lstatSync(folder, { throwIfNoEntry: false }) === undefined && dirname(folder) !== folder)
    folder = dirname(folder);
  return folder;
}

function namesBelow(above: string, path: string): string[] {
  const names: string[] = [];
  for (let folder = path; folder !== above; folder = dirname(folder)) names.unshift(basename(folder));
  return names;
}

/** Returns a handle of the last folder; `top` is closed if any was created. */
function makeFoldersBelow(top: number, names: readonly string[]): number {
  let folder = top;
  for (const name of names) {
    const path = join(handlePath(folder), name);
    try {
      makeFolder(path);
      const next = openRefusingLinks(path, folderFlags);
      closeSync(folder);
      folder = next;
    } catch (error) {
      closeSync(folder);
      throw error;
    }
  }
  return folder;
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process created it first; opening it shows whether it is a folder.
    if (!hasErrorCode(error, "EEXIST")) throw error;
  }
}
