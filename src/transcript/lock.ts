/**
 * One process per session. The lock is a file that names its holder. A dead holder is recognised by its pid and start time or, in another
 * container of this machine, by a lock that is no longer touched. The only atomic step used is linking to a name that must not exist yet,
 * so that of any number of processes exactly one wins. A holder that may be alive is never ignored, however long it takes: two writers
 * would destroy a transcript. The lock for a quick change of a settings file, `lib/file-lock.ts`, does the opposite.
 */
import { otherFolderAdvice, TranscriptError } from "./error.ts";
import { reasonOf, systemCode } from "../lib/system-reason.ts";
import { tryParseRecord } from "../lib/try-parse-json.ts";
import { readRange, writeNewFile } from "./file-io.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { markUnlinkable, findLinkableLock, recordHeldLock, recordReleasedLock, type Holder } from "./held-locks.ts";
import { basename, dirname, join } from "node:path";
import { listNames } from "./list-sessions.ts";
import { lockPath } from "./paths.ts";
import { nodeProcesses, type ProcessTable } from "./process-table.ts";

export interface SessionLock {
  readonly path: string;
  /** Removes the lock if it is still this one. May be called twice. */
  release(): void;
}

export interface LockOptions {
  fs?: TranscriptFileSystem;
  processes?: ProcessTable;
  /** ms since the epoch; distinguishes a lock that is being written from one that was left half written. */
  now?: () => number;
  /** The session may have existed before: remove what processes left behind that died while taking its lock. */
  mayHaveLeftovers?: boolean;
  /** The session is only renamed or removed: an error must not suggest another home or continuing the session. */
  isOnlyChanged?: boolean;
}

const halfWrittenMs = 10_000;
const maxAttempts = 8;
/** Six heartbeats: the machine may be busy. */
const heartbeatLimitMs = 120_000;

/** Throws `TranscriptError`: `locked` (with `pid` if known), `io`. */
export function acquireLock(transcriptPath: string, options: LockOptions = {}): SessionLock {
  const world = toLockContext(options);
  const { fs, processes } = world;
  const { pid, host, space, boot } = processes;
  const path = lockPath(transcriptPath);
  const me: Holder = { pid, started: processes.startTimeOf(pid), host, space, boot, nonce: processes.nonce() };
  try {
    fs.makeFolder(dirname(path));
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const linked = linkToOwnLock(world, path);
      if (linked === undefined && !createLock(world, path, me) && !takeOverLock(world, path, me)) continue;
      if (options.mayHaveLeftovers === true) removeLeftovers(world, path);
      return createHeldLock(world, path, linked ?? me);
    }
  } catch (error) {
    if (error instanceof TranscriptError) throw error;
    throw new TranscriptError(
      "io",
      options.isOnlyChanged === true
        ? `The session cannot be changed, since its lock ${path} cannot be made: ${reasonOf(error)}. Once the cause is removed, try again.`
        : `The session cannot be kept in ${dirname(path)}: ${reasonOf(error)}. ${otherFolderAdvice}`,
      {
        cause: error,
      },
    );
  }
  throw new TranscriptError(
    "locked",
    `Other processes are opening this session at the same time (${path}). Try again.`,
  );
}

/** Whether a live process holds the session. If that cannot be determined, the answer is yes. */
export function isLocked(transcriptPath: string, options: LockOptions = {}): boolean {
  const world = toLockContext(options);
  const found = readHolder(world, lockPath(transcriptPath));
  return found !== undefined && holderState(world, found) === "live";
}

type LockContext = Required<Pick<LockOptions, "fs" | "processes" | "now">>;

function toLockContext({ fs = nodeFileSystem, processes = nodeProcesses, now = Date.now }: LockOptions): LockContext {
  return { fs, processes, now };
}

interface FoundLock {
  holder: Holder | undefined;
  /** Distinguishes this lock from any other at the path, past or future. */
  identity: string;
  modifiedAt: number;
  /** The lock belongs to another user, as after `sudo`, and its holder cannot be read. */
  isClosed?: true;
}

/**
 * Links to another lock of this process in the same folder and returns the holder it names. Undefined if there is none, if it cannot be
 * linked, or if somebody removed ours by hand and it is now another's; then the lock at `path` is judged like any other.
 */
function linkToOwnLock(world: LockContext, path: string): Holder | undefined {
  const beside = findLinkableLock(world, path);
  if (beside === undefined) return undefined;
  try {
    world.fs.link(beside.path, path);
    if (readHolder(world, path)?.holder?.nonce === beside.holder.nonce) return beside.holder;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    if (systemCode(error) === "EEXIST") return undefined;
  }
  markUnlinkable(world, beside.path);
  return undefined;
}

/** Creates the complete file at once, by linking a finished one; on file systems without links, by creating and then writing it. */
function createLock(world: LockContext, path: string, me: Holder): boolean {
  const { fs } = world;
  const draft = `${path}.${me.nonce}`;
  let isMade = false;
  try {
    writeNewFile(fs, draft, encodeHolder(me));
    try {
      fs.link(draft, path);
    } catch (error) {
      if (systemCode(error) === "EEXIST") return false;
      if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(systemCode(error) ?? "")) throw error;
      writeNewFile(fs, path, encodeHolder(me));
    }
    return (isMade = true);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    if (isMade) tryRemove(fs, draft);
    else fs.remove(draft);
  }
}

function tryRemove(fs: TranscriptFileSystem, path: string): void {
  ignoringSystemErrors(() => fs.remove(path));
}

/**
 * Replaces the lock of a dead holder. The right to do so is a lock of its own, named after the dead one: only the holder of that right,
 * after seeing the dead lock still in place, renames its own lock over it. Throws `locked` if anyone involved is alive.
 */
function takeOverLock(world: LockContext, path: string, me: Holder): boolean {
  const found = readHolder(world, path);
  if (found === undefined) return false;
  if (holderState(world, found) === "live") throw lockedError(world, path, found);
  const right = `${path}.over-${found.identity}`;
  if (!createLock(world, right, me) && !takeOverLock(world, right, me)) return false;
  try {
    if (readHolder(world, path)?.identity !== found.identity) return false;
    const draft = `${path}.${me.nonce}`;
    writeNewFile(world.fs, draft, encodeHolder(me));
    world.fs.rename(draft, path);
    return true;
  } finally {
    tryRemove(world.fs, right);
  }
}

/** Removes drafts and rights of processes that died taking the lock. Its holder may do so: none of them leads to the lock any more. */
function removeLeftovers(world: LockContext, path: string): void {
  const start = `${basename(path)}.`;
  ignoringSystemErrors(() => {
    for (const name of listNames(world.fs, dirname(path))) {
      if (!name.startsWith(start)) continue;
      const leftover = join(dirname(path), name);
      ignoringSystemErrors(() => {
        const found = readHolder(world, leftover);
        if (found !== undefined && isLeftover(world, found, name)) world.fs.remove(leftover);
      });
    }
  });
}

/** A system error here must not refuse the session: its lock is taken already, and would stay. */
function ignoringSystemErrors(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

/** Even an unwritten draft names its process in its file name. */
function isLeftover(world: LockContext, lock: FoundLock, name: string): boolean {
  const pid = lock.holder === undefined ? /\.(\d+)-[\w-]+$/.exec(name)?.[1] : undefined;
  return pid === undefined ? holderState(world, lock) === "dead" : !world.processes.isAlive(Number(pid));
}

function holderState(world: LockContext, lock: FoundLock): "live" | "dead" {
  const { holder } = lock;
  if (lock.isClosed === true) return "live";
  if (holder === undefined) return world.now() - lock.modifiedAt > halfWrittenMs ? "dead" : "live";
  const where = holderLocation(world, holder);
  if (where === "elsewhere") return "live";
  if (where === "container") return world.now() - lock.modifiedAt > heartbeatLimitMs ? "dead" : "live";
  if (!world.processes.isAlive(holder.pid)) return "dead";
  const started = world.processes.startTimeOf(holder.pid);
  return holder.started !== undefined && started !== undefined && started !== holder.started ? "dead" : "live";
}

/** Whether the pid can be checked here. Locks of earlier versions do not name their container. */
function holderLocation({ processes }: LockContext, { host, space, boot }: Holder): "here" | "container" | "elsewhere" {
  const isOfBoot = boot !== undefined && boot === processes.boot;
  if (isOfBoot && space !== undefined && processes.space !== undefined && space !== processes.space) return "container";
  return host === processes.host ? "here" : "elsewhere";
}

function readHolder({ fs }: LockContext, path: string): FoundLock | undefined {
  let descriptor: number;
  try {
    descriptor = fs.open(path, "read");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    if (systemCode(error) === "EACCES") return { holder: undefined, identity: "", modifiedAt: 0, isClosed: true };
    throw error;
  }
  try {
    const status = fs.status(descriptor);
    const holder = parseHolder(readRange(fs, descriptor, 0, Math.min(status.size, 4096)).toString());
    const identity = holder?.nonce ?? `at-${Math.round(status.modifiedAt)}`;
    return { holder, identity, modifiedAt: status.modifiedAt };
  } finally {
    fs.close(descriptor);
  }
}

function parseHolder(text: string): Holder | undefined {
  const { pid, started, host, space, boot, nonce } = tryParseRecord(text) ?? {};
  if (!Number.isSafeInteger(pid) || (pid as number) <= 0 || typeof host !== "string") return undefined;
  if (typeof nonce !== "string" || !/^[\w-]{1,64}$/.test(nonce)) return undefined;
  return {
    pid: pid as number,
    started: stringOrUndefined(started),
    host,
    space: stringOrUndefined(space),
    boot: stringOrUndefined(boot),
    nonce,
  };
}

function stringOrUndefined(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function encodeHolder(holder: Holder): Uint8Array {
  return Buffer.from(JSON.stringify(holder));
}

function createHeldLock(world: LockContext, path: string, me: Holder): SessionLock {
  let released = false;
  const token = recordHeldLock(world, path, me);
  const release = () => {
    if (released) return;
    released = true;
    world.processes.offExit(release);
    if (!recordReleasedLock(world, path, token)) return;
    try {
      if (readHolder(world, path)?.holder?.nonce === me.nonce) world.fs.remove(path);
    } catch (error) {
      // A lock that cannot be removed is found stale once this process is gone; closing a session must not fail because of it.
      if (systemCode(error) === undefined) throw error;
    }
  };
  world.processes.onExit(release);
  return { path, release };
}

function lockedError(world: LockContext, path: string, { holder, isClosed }: FoundLock): TranscriptError {
  const copy = "or copy the session with --fork-session.";
  if (isClosed === true)
    return new TranscriptError(
      "locked",
      `This session is open for another user, or its lock was left behind: ${path} may not be read. If nobody works in it, remove that file; ${copy}`,
    );
  if (holder === undefined)
    return new TranscriptError("locked", `Another process is opening this session right now (${path}). Try again.`);
  const { pid, host } = holder;
  const own = pid === world.processes.pid ? `this process (${pid})` : `process ${pid}`;
  const text = {
    here: `${own}. End it there first,`,
    container: `process ${pid} of another container (${host}). If that has ended, try again in ${heartbeatLimitMs / 60_000} minutes;`,
    elsewhere: `process ${pid} on ${host}. If it no longer runs there, remove ${path};`,
  }[holderLocation(world, holder)];
  return new TranscriptError("locked", `This session is open in ${text} ${copy}`, { pid });
}
