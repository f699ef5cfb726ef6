/** The few synchronous file calls of the transcript, as a port: a simulator can make each of them fail. */
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
import { entryStatus } from "../lib/path-status.ts";
import { eventLoopTurn } from "../lib/event-loop-turn.ts";
import { makeFolders } from "../lib/make-folders.ts";

export interface FileStatus {
  size: number;
  mode: number;
  isFile: boolean;
  isFolder: boolean;
  /** ms since the epoch. */
  modifiedAt: number;
  /** Together with `inode`, distinguishes this file from every other that exists at the same time. */
  device: number;
  inode: number;
}

/** Every call throws a system error (`code: "ENOSPC"`, …) on failure. Paths are absolute. */
export interface TranscriptFileSystem {
  /**
   * `append`: read and append, created with 0600 if missing; `read`: read only; `create`: must not exist yet, 0600. None follows a symbolic
   * link at the end of the path; none blocks on a pipe.
   */
  open(path: string, how: "append" | "read" | "create"): number;
  /** May write less than requested. */
  write(descriptor: number, bytes: Uint8Array, offset: number, length: number): number;
  read(descriptor: number, bytes: Uint8Array, offset: number, length: number, position: number): number;
  status(descriptor: number): FileStatus;
  truncate(descriptor: number, size: number): void;
  setMode(descriptor: number, mode: number): void;
  sync(descriptor: number): void;
  close(descriptor: number): void;
  /** Creates the folder and its parents with 0700; an existing folder is closed to other users. */
  makeFolder(path: string): void;
  list(path: string): string[];
  /** The status of the path itself, not of a link's target. Undefined if nothing is there. */
  statusOf(path: string): FileStatus | undefined;
  /** Changes whenever others may have touched the files: each turn of the event loop. Absent: files are never assumed unchanged. */
  turn?: (() => number) | undefined;
  /** Sets the modification time to now. */
  touch?(path: string): void;
  rename(from: string, to: string): void;
  /** Creates a hard link; fails with EEXIST if `to` exists. */
  link(from: string, to: string): void;
  /** Removes a file, or a folder with its content; nothing at the path is not an error. */
  remove(path: string): void;
}

const noFollow = constants.O_NOFOLLOW ?? 0;
const noBlock = constants.O_NONBLOCK ?? 0;
const openFlags = {
  append: constants.O_APPEND | constants.O_CREAT | constants.O_RDWR | noFollow | noBlock,
  read: constants.O_RDONLY | noFollow | noBlock,
  create: constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | noFollow,
};

export const nodeFileSystem: TranscriptFileSystem = {
  open: (path, how) => openSync(path, openFlags[how], 0o600),
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
  turn: eventLoopTurn,
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
      const found = entryStatus(path);
      if (found === undefined) return;
      // Not removed recursively in the first place: that error says less about the cause.
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
