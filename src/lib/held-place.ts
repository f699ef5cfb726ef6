/**
 * Whether what was opened lies where it was judged to lie: asked of the open handle, behind which nobody can put anything else
 * any more. Where the system names no handle's path (only Linux does, in /proc), the path is looked at again instead.
 */
import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { hasCode } from "./error-text.ts";
import { makeFolders } from "./make-folders.ts";
import { hasOwnProc } from "./own-proc.ts";

/** A path leads elsewhere by now: between the look at it and its use somebody put something in its way. */
export class MovedError extends Error {
  override readonly name = "MovedError";

  constructor(place: string) {
    super(`${place} is not what it was when it was looked at`);
  }
}

export interface HeldFolder {
  /** For the file system: this name in the folder, whatever becomes of the path that led to it. */
  at(name: string): string;
  /** Throws a `MovedError` where the path leads elsewhere by now and the folder could not be held. */
  check(): void;
  close(): void;
}

/** O_PATH, which Node has no name for: a folder that may be written but not listed can be held too. */
const pathOnly = process.platform === "linux" ? 0o10000000 : 0;
const asFolder = pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Undefined where the system does not say. */
function pathOfHandle(descriptor: number): string | undefined {
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

/** For a program that this process starts: what the handle holds. Undefined where only its path is left. */
export function openedPath(descriptor: number): string | undefined {
  return pathOfHandle(descriptor) === undefined || !hasOwnProc() ? undefined : `/proc/${process.pid}/fd/${descriptor}`;
}

/** Opens what lies at `real`, which has no link in it, by `path`, which led there. Throws a `MovedError`, and what the file system throws. */
export function openAt(path: string, real: string, flags: number): number {
  const descriptor = openUnlinked(path, path === real ? flags | constants.O_NOFOLLOW : flags);
  try {
    assertLiesAt(descriptor, real);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function openUnlinked(path: string, flags: number): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Where a folder is wanted, Linux calls a link none.
    const isLink = code === "ELOOP" || (code === "ENOTDIR" && isLinkNow(path));
    if (isLink && (flags & constants.O_NOFOLLOW) !== 0) throw new MovedError(path);
    throw error;
  }
}

function isLinkNow(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function assertLiesAt(descriptor: number, real: string): void {
  const named = pathOfHandle(descriptor);
  if (named === undefined ? !isStillAt(descriptor, real) : named !== real) throw new MovedError(real);
}

function isStillAt(descriptor: number, real: string): boolean {
  const opened = fstatSync(descriptor);
  const found = lstatSync(real, { throwIfNoEntry: false });
  return found?.dev === opened.dev && found.ino === opened.ino && realpathSync.native(real) === real;
}

/** `path`: without a link, now. What is missing of it is made, each folder in the one before it. Throws as `openAt` does. */
export function holdFolder(path: string): HeldFolder {
  const nearest = nearestFolder(path);
  const held = openAt(nearest, nearest, asFolder);
  if (pathOfHandle(held) !== undefined) return holding(makeBelow(held, namesBelow(nearest, path)), path);
  closeSync(held);
  makeFolders(path);
  const looked: HeldFolder = {
    at: (name) => join(path, name),
    check: () => {
      // HFS+ keeps names decomposed, whichever way they were given.
      if (realpathSync.native(path).normalize() !== path.normalize()) throw new MovedError(path);
    },
    close: () => {},
  };
  looked.check();
  return looked;
}

function holding(descriptor: number, path: string): HeldFolder {
  return {
    at: (name) => join(handlePath(descriptor), name),
    // A folder that was moved while it was held still is the one that was judged, but no longer where.
    check: () => assertLiesAt(descriptor, path),
    close: () => closeSync(descriptor),
  };
}

/** The first of `path` and the folders above it that is there. */
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

/** Of the last of them; `top` is closed where there is one. */
function makeBelow(top: number, names: readonly string[]): number {
  let folder = top;
  for (const name of names) {
    const path = join(handlePath(folder), name);
    try {
      makeOne(path);
      const next = openUnlinked(path, asFolder);
      closeSync(folder);
      folder = next;
    } catch (error) {
      closeSync(folder);
      throw error;
    }
  }
  return folder;
}

function makeOne(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process was quicker: whether it made a folder, the opening tells.
    if (!hasCode(error, "EEXIST")) throw error;
  }
}
