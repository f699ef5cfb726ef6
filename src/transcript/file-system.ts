/** The few synchronous file calls the transcript makes, as a port: a simulator can fail each of them. */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  lutimesSync,
  openSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { entryAt } from "../lib/disk-look.ts";
import { loopTurn } from "../lib/loop-turn.ts";
import { makeFolders } from "../lib/make-folders.ts";

export interface FileStatus {
  size: number;
  mode: number;
  isFile: boolean;
  isFolder: boolean;
  /** ms since the epoch. */
  modifiedAt: number;
  /** With `inode`: tells this file from every other that is there at the same time. */
  device: number;
  inode: number;
}

/** Every call throws a system error (`code: "ENOSPC"`, …) on failure. Paths are absolute. */
export interface TranscriptFileSystem {
  /**
   * `append`: created 0600 where missing, reads and appends; `read`: read only; `create`: must not exist yet, 0600.
   * None follows a symbolic link at the end of the path, none blocks on a pipe.
   */
  open(path: string, how: "append" | "read" | "create"): number;
  /** May write less than asked for. */
  write(descriptor: number, bytes: Uint8Array, offset: number, length: number): number;
  read(descriptor: number, bytes: Uint8Array, offset: number, length: number, position: number): number;
  status(descriptor: number): FileStatus;
  truncate(descriptor: number, size: number): void;
  setMode(descriptor: number, mode: number): void;
  sync(descriptor: number): void;
  close(descriptor: number): void;
  /** Makes the folder and its parents, 0700; an existing folder is closed to others. */
  makeFolder(path: string): void;
  list(path: string): string[];
  /** Of the path itself, not of what a link points to. Undefined where nothing is there. */
  statusOf(path: string): FileStatus | undefined;
  /** The same number as long as nobody else can have been at the files: within one turn of the event loop. Without it nothing is taken to stay. */
  turn?: (() => number) | undefined;
  /** Its time of change is now. */
  touch?(path: string): void;
  rename(from: string, to: string): void;
  /** A hard link; fails with EEXIST where `to` exists. */
  link(from: string, to: string): void;
  /** A file, or a folder with all that is in it; nothing there is no error. */
  remove(path: string): void;
}

const noFollow = constants.O_NOFOLLOW ?? 0;
const noBlock = constants.O_NONBLOCK ?? 0;
const flags = {
  append: constants.O_APPEND | constants.O_CREAT | constants.O_RDWR | noFollow | noBlock,
  read: constants.O_RDONLY | noFollow | noBlock,
  create: constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | noFollow,
};

export const nodeFileSystem: TranscriptFileSystem = {
  open: (path, how) => openSync(path, flags[how], 0o600),
  write: writeSync,
  read: (descriptor, bytes, offset, length, position) => readSync(descriptor, bytes, offset, length, position),
  status: (descriptor) => toStatus(fstatSync(descriptor)),
  truncate: ftruncateSync,
  setMode: fchmodSync,
  sync: fdatasyncSync,
  close: closeSync,
  makeFolder(path) {
    if (makeFolders(path, 0o700)) return;
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700);
  },
  list: (path) => readdirSync(path),
  statusOf(path) {
    const status = lstatSync(path, { throwIfNoEntry: false });
    return status === undefined ? undefined : toStatus(status);
  },
  turn: loopTurn,
  touch(path) {
    const now = new Date();
    lutimesSync(path, now, now);
  },
  rename: renameSync,
  link: linkSync,
  remove(path) {
    try {
      unlinkSync(path);
    } catch (error) {
      const found = entryAt(path);
      if (found === undefined) return;
      // To remove recursively says less of why it cannot be.
      if (!found.isDirectory()) throw error;
      rmSync(path, { force: true, recursive: true });
    }
  },
};

function toStatus(status: {
  size: number;
  mode: number;
  mtimeMs: number;
  dev: number;
  ino: number;
  isFile(): boolean;
  isDirectory(): boolean;
}): FileStatus {
  return {
    size: status.size,
    mode: status.mode & 0o777,
    isFile: status.isFile(),
    isFolder: status.isDirectory(),
    modifiedAt: status.mtimeMs,
    device: status.dev,
    inode: status.ino,
  };
}
