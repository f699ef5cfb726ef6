/** Replaces a file in one step: a reader, or a crash, finds the old bytes or the new ones, never a part. */
import { randomBytes } from "node:crypto";
import { readdirSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemPath } from "./file-name.ts";
import { isOfMachine } from "./system-reason.ts";

export interface AtomicWrite {
  /** Permission bits the file ends with. Absent: what a new file gets by the umask. Those of an owner or a group that it cannot be given to go. */
  mode?: number;
  /** Owner and group the file ends with, where this process may give files away, or to that group. */
  owner?: { uid: number; gid: number };
  /** Waits until the bytes are on the medium. */
  flush?: boolean;
  /** The last look before the new file takes the old one's place; what it throws abandons the write. */
  beforeReplace?: () => Promise<void>;
}

/** From Node 24 on its permission model takes no descriptors for a file's mode and owner, whatever is allowed. */
const refusedByNode = "ERR_ACCESS_DENIED";

/**
 * Writes beside `path` (absolute, not a symbolic link, its names as `file-name.ts` has them) and renames over it. Throws what the file system throws;
 * then the old file is as it was and nothing is left beside it.
 */
export async function writeFileAtomically(path: string, data: Uint8Array, write: AtomicWrite = {}): Promise<void> {
  const temporary = systemPath(temporaryBeside(path));
  try {
    await writeBeside(path, temporary, data, write);
  } catch (error) {
    // What was being written, which a full disk does not name, and not what nobody knows.
    throw isOfMachine(error) ? Object.assign(error, { path }) : error;
  }
}

async function writeBeside(
  path: string,
  temporary: Buffer | string,
  data: Uint8Array,
  write: AtomicWrite,
): Promise<void> {
  // A start that writes nothing does without it.
  const { open, rename, unlink } = await import("node:fs/promises");
  // "wx" is O_EXCL, which also refuses to follow a link planted under this name.
  const file = await open(temporary, "wx", write.mode === undefined ? 0o666 : 0o600);
  try {
    try {
      await fill(file, data, write);
    } finally {
      await file.close();
    }
    await write.beforeReplace?.();
    await rename(temporary, systemPath(path));
  } catch (error) {
    await unlink(temporary).catch(ignoreMissing);
    throw error;
  }
}

/** The same at once, for a file of the program's own that is this user's alone, in a folder that is there. Throws the system's error. */
export function replaceFileSync(path: string, text: string, flush = false): void {
  const temporary = temporaryBeside(path);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx", flush });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A name of this process's own in the same folder. */
export function temporaryBeside(path: string): string {
  return join(dirname(path), `.pawl-${process.pid}-${randomBytes(9).toString("hex")}.tmp`);
}

const temporaryForm = /^\.pawl-(\d+)-[0-9a-f]{18}\.tmp$/;

/** The process whose unfinished write a file of this name is; undefined for any other name. */
export function writerOf(name: string): number | undefined {
  const pid = temporaryForm.exec(name)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** No write takes as long. */
const longestWriteMs = 60 * 60 * 1_000;

/**
 * Removes from `folder` what a process that died left of a write. `now`: machines or containers share the folder, each of which sees
 * its own processes alone, so that what is young may be another's that lives. Never throws.
 */
export function removeAbandoned(folder: string, isAlive: (pid: number) => boolean, now = Infinity): void {
  try {
    for (const name of readdirSync(folder)) {
      const pid = writerOf(name);
      if (pid === undefined || isAlive(pid)) continue;
      const path = join(folder, name);
      if (now - statSync(path).mtimeMs > longestWriteMs) unlinkSync(path);
    }
  } catch (error) {
    // Untidy at most: the files themselves are whole.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  }
}

async function fill(file: FileHandle, data: Uint8Array, write: AtomicWrite): Promise<void> {
  await file.writeFile(data);
  const lost = write.owner === undefined ? 0 : await giveTo(file, write.owner);
  // After chown, which clears the set-id bits.
  if (write.mode !== undefined) await setMode(file, withoutLost(write.mode, lost));
  if (write.flush === true) await flush(file);
}

/** Some file systems of other makers have no such call: what they hold is as safe as it gets. */
const noFlush: readonly unknown[] = ["EINVAL", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"];

async function flush(file: FileHandle): Promise<void> {
  try {
    await file.sync();
  } catch (error) {
    if (!noFlush.includes((error as NodeJS.ErrnoException).code)) throw error;
  }
}

async function setMode(file: FileHandle, mode: number): Promise<void> {
  try {
    await file.chmod(mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // On shares whose files have one mode, which nobody but whoever mounted them may set, to the same one neither.
    if (code === "EPERM" && ((await file.stat()).mode & 0o7777) === mode) return;
    if (code !== refusedByNode) throw error;
    const { chmod } = await import("node:fs/promises");
    await chmod(`/proc/self/fd/${file.fd}`, mode);
  }
}

/** Another group gets what everybody has. */
function withoutLost(mode: number, lost: number): number {
  return (mode & ~lost) | (mode & (mode << 3) & lost & 0o070);
}

/** Answers the permission bits that were meant for somebody else than whose they would be now. */
async function giveTo(file: FileHandle, owner: { uid: number; gid: number }): Promise<number> {
  const own = await file.stat();
  const isGiven = async (uid: number, gid: number): Promise<boolean> => {
    if (own.uid === uid && own.gid === gid) return true;
    try {
      await file.chown(uid, gid);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EPERM" && code !== refusedByNode) throw error;
      return false;
    }
  };
  if (await isGiven(owner.uid, owner.gid)) return 0;
  // Only root gives files away; for others the file changes hands, as with any editor. A group of theirs it keeps.
  const setUser = own.uid === owner.uid ? 0 : 0o4000;
  return (await isGiven(own.uid, owner.gid)) ? setUser : setUser | 0o2070;
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
