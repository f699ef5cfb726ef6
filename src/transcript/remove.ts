/** Removes a session with everything that belongs to it, while holding its lock. */
import { basename, dirname, join } from "node:path";
import { systemCode } from "../lib/system-reason.ts";
import { TranscriptError } from "./error.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { listNames } from "./list-sessions.ts";
import { acquireLock, isLocked, type LockOptions, type SessionLock } from "./lock.ts";
import { isSessionId, lockPath } from "./paths.ts";
import { isInRepository, loggedPlans } from "./plan-log.ts";
import type { ProcessTable } from "./process-table.ts";

export interface RemoveOptions {
  fs?: TranscriptFileSystem;
  processes?: ProcessTable;
  /** ms since the epoch. */
  now: () => number;
  /** Asked once the lock is held: false leaves the session. */
  isWanted?: () => boolean;
  /** An automatic removal: plans inside a repository stay. */
  isSweep?: boolean;
}

/** Returns whether the session was removed. Throws `TranscriptError` `locked` if a process has it open, or the system's error. */
export function removeSession(transcriptPath: string, options: RemoveOptions): boolean {
  const { fs = nodeFileSystem, processes, now, isWanted } = options;
  const lock = lockForRemoval(transcriptPath, { fs, processes, now, mayHaveLeftovers: true });
  try {
    if (isWanted?.() === false) return false;
    const plans = loggedPlans(transcriptPath, fs).filter(
      (plan) => options.isSweep !== true || !isInRepository(plan, fs),
    );
    const [folder, own] = [dirname(transcriptPath), lockPath(transcriptPath)];
    const problems = plans.flatMap((plan) => catchError(() => fs.remove(plan)));
    for (const name of listNames(fs, folder)) {
      const path = join(folder, name);
      const isPart =
        isSessionFileName(name, basename(transcriptPath).slice(0, 36)) && (path !== own || lock === undefined);
      if (isPart && path !== transcriptPath) fs.remove(path);
    }
    // The transcript goes last: if this process dies, the rest is found through it and removed on the next request.
    fs.remove(transcriptPath);
    // A plan that cannot be removed is reported, but is no reason to keep the conversation.
    if (problems.length > 0) throw problems[0];
    return true;
  } finally {
    lock?.release();
  }
}

function catchError(work: () => void): unknown[] {
  try {
    work();
    return [];
  } catch (error) {
    return [error];
  }
}

/** Undefined on a full disk, where no lock can be created: removing the session makes the room that is needed. */
function lockForRemoval(transcriptPath: string, options: LockOptions): SessionLock | undefined {
  try {
    return acquireLock(transcriptPath, { ...options, isOnlyChanged: true });
  } catch (error) {
    const code = error instanceof TranscriptError ? systemCode(error.cause) : undefined;
    if (code === undefined || !["ENOSPC", "EDQUOT"].includes(code) || isLocked(transcriptPath, options)) throw error;
    return undefined;
  }
}

/** The names of all files of a session begin with its id: transcript, lock, torn tails, folder. */
export function isSessionFileName(name: string, sessionId: string): boolean {
  return isSessionId(sessionId) && name.startsWith(sessionId) && (name.length === 36 || name[36] === ".");
}
