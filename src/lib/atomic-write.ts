/** Replaces a file atomically: a reader, or a crash, finds the old bytes or the new ones, never a mix. */
import { randomBytes } from "node:crypto";
import { readdirSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemPath } from "./file-name.ts";
import { isMachineError } from "./system-reason.ts";

export interface AtomicWriteOptions {
  /** Final permission bits; absent: by the umask. Bits for an owner or group that the file cannot be given to are removed. */
  mode?: number;
  /** Final owner and group, if this process may give the file to them. */
  owner?: { uid: number; gid: number };
  /** Wait until the bytes are on the medium. */
  flush?: boolean;
  /** A last check before the new file replaces the old one; throwing abandons the write. */
  beforeReplace?: () => Promise<void>;
}

/** Since Node.js 24 its permission model rejects changing a file's mode or owner by descriptor, whatever is allowed. */
const nodeDeniedCode = "ERR_ACCESS_DENIED";

/**
 * Writes next to `path` (absolute, not a symbolic link, with names in the form of `file-name.ts`) and renames over it. Throws file system
 * errors; then the old file is unchanged and nothing is left next to it.
 */
export async function writeFileAtomically(
  path: string,
  data: Uint8Array,
  write: AtomicWriteOptions = {},
): Promise<void> {
  const temporary = systemPath(temporaryPathBeside(path));
  try {
    await writeBeside(path, temporary, data, write);
  } catch (error) {
    // Report the file being written, which errors such as a full disk do not name, instead of the temporary file.
    throw isMachineError(error) ? Object.assign(error, { path }) : error;
  }
}

async function writeBeside(
  path: string,
  temporary: Buffer | string,
  data: Uint8Array,
  write: AtomicWriteOptions,
): Promise<void> {
  // Imported lazily: a start that writes nothing does not need it.
  const { open, rename, unlink } = await import("node:fs/promises");
  // "wx" is O_EXCL, which also refuses to follow a link planted under this name.
  const file = await open(temporary, "wx", write.mode === undefined ? 0o666 : 0o600);
  try {
    try {
      await writeContent(file, data, write);
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

/** The same, synchronously, for the program's own files (0600) in a folder that exists. Throws the system's error. */
export function replaceFileSync(path: string, text: string, flush = false): void {
  const temporary = temporaryPathBeside(path);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx", flush });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A temporary file name in the same folder, unique to this process. */
export function temporaryPathBeside(path: string): string {
  return join(dirname(path), `.pawl-${process.pid}-${randomBytes(9).toString("hex")}.tmp`);
}

const temporaryNamePattern = /^\.pawl-(\d+)-[0-9a-f]{18}\.tmp$/;

/** The pid of the process whose unfinished write has this file name; undefined for any other name. */
export function temporaryFilePid(name: string): number | undefined {
  const pid = temporaryNamePattern.exec(name)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** No write takes this long. */
const longestWriteMs = 60 * 60 * 1_000;

/**
 * Removes unfinished writes of processes that died. `now`: for a folder shared by machines or containers, each of which sees only its own
 * processes; recent files may then belong to a live process and are kept. Never throws.
 */
export function removeUnfinishedWrites(folder: string, isAlive: (pid: number) => boolean, now = Infinity): void {
  try {
    for (const name of readdirSync(folder)) {
      const pid = temporaryFilePid(name);
      if (pid === undefined || isAlive(pid)) continue;
      const path = join(folder, name);
      if (now - statSync(path).mtimeMs > longestWriteMs) unlinkSync(path);
    }
  } catch (error) {
    // Leftovers are only untidy: the files themselves are complete.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  }
}

async function writeContent(file: FileHandle, data: Uint8Array, write: AtomicWriteOptions): Promise<void> {
  await file.writeFile(data);
  const lost = write.owner === undefined ? 0 : await changeOwner(file, write.owner);
  // Set the mode after chown, which clears the set-id bits.
  if (write.mode !== undefined) await setMode(file, withoutLostBits(write.mode, lost));
  if (write.flush === true) await flush(file);
}

/** Some foreign file systems do not support sync: their content is as safe as it can be. */
const syncUnsupportedCodes: readonly unknown[] = ["EINVAL", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"];

async function flush(file: FileHandle): Promise<void> {
  try {
    await file.sync();
  } catch (error) {
    if (!syncUnsupportedCodes.includes((error as NodeJS.ErrnoException).code)) throw error;
  }
}

async function setMode(file: FileHandle, mode: number): Promise<void> {
  try {
    await file.chmod(mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // On shares whose files all have one mode set by the mount, even setting the same mode is refused.
    if (code === "EPERM" && ((await file.stat()).mode & 0o7777) === mode) return;
    if (code !== nodeDeniedCode) throw error;
    const { chmod } = await import("node:fs/promises");
    await chmod(`/proc/self/fd/${file.fd}`, mode);
  }
}

/** Another group gets only what everybody has. */
function withoutLostBits(mode: number, lostBits: number): number {
  return (mode & ~lostBits) | (mode & (mode << 3) & lostBits & 0o070);
}

/** Returns the permission bits that were meant for an owner or group which the file cannot be given to. */
async function changeOwner(file: FileHandle, owner: { uid: number; gid: number }): Promise<number> {
  const own = await file.stat();
  const tryChown = async (uid: number, gid: number): Promise<boolean> => {
    if (own.uid === uid && own.gid === gid) return true;
    try {
      await file.chown(uid, gid);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EPERM" && code !== nodeDeniedCode) throw error;
      return false;
    }
  };
  if (await tryChown(owner.uid, owner.gid)) return 0;
  // Only root can give files away; for other users the file changes its owner, as with any editor. Keep the group if they are in it.
  const setUser = own.uid === owner.uid ? 0 : 0o4000;
  return (await tryChown(own.uid, owner.gid)) ? setUser : setUser | 0o2070;
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
