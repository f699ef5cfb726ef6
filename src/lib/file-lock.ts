/**
 * A lock among all processes of a machine, for a moment: a file that must not exist yet names its holder. A change of settings must not be
 * refused because of a lock, so that a holder is waited for no longer than its work can take, whether it is alive or its pid is used
 * again. A session lasts for any time and must never have two writers: it has the lock of `transcript/lock.ts`.
 */
import { hash, randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { afterMs } from "./after-ms.ts";
import { pidNamespace } from "./own-proc.ts";

/** Longer than rewriting a small file takes on any disk, ms. */
export const lockLimitMs = 2_000;
/** Time between two attempts, ms. */
const retryMs = 50;
/** A lock file names its holder right after it is created; one that is still empty after this time was left by a process that died, ms. */
const unnamedLimitMs = 500;
/** From when the right to remove a lock may be removed itself, the time in which some process does so, ms. */
const stuckLimitMs = 1_000;

/**
 * Runs `work` while this call holds the lock file at `path` (absolute, in an existing folder). A holder that died, or holds it longer than
 * `limitMs`, is ignored; if no file can be created, the work runs without a lock. Settles as `work` does.
 */
export async function withFileLock<T>(path: string, limitMs: number, work: () => Promise<T>): Promise<T> {
  const pidSpace = pidNamespace() ?? "";
  const ownHolder = `${process.pid} ${hostname()} ${randomBytes(9).toString("hex")} ${pidSpace}`.trimEnd();
  let holder: string | undefined;
  let waited = 0;
  while (!tryTakeLock(path, ownHolder)) {
    const found = readHolder(path);
    if (found !== holder) waited = 0;
    holder = found;
    // Even the right to remove this lock cannot be had, because its file can be neither read nor removed.
    if (waited >= 2 * limitMs + stuckLimitMs) break;
    let isBusy = true;
    if (
      waited >= Math.min(limitMs, holder === "" ? unnamedLimitMs : limitMs) ||
      (holder !== undefined && hasDied(holder))
    ) {
      // A lock that cannot be read or removed, such as another user's, is not waited for either.
      if (holder === undefined) break;
      const breakResult = breakLock(path, holder, { ownHolder, isLate: waited >= 2 * limitMs });
      if (breakResult === "stays") break;
      isBusy = breakResult === "busy";
    }
    if (isBusy) await new Promise<void>((resolve) => void afterMs(retryMs, resolve));
    waited += retryMs;
  }
  try {
    return await work();
  } finally {
    removeLock(path, ownHolder);
  }
}

/**
 * Only the holder of the right checks and removes the lock: otherwise another process could replace it with a live lock in between. The
 * right is a file named after this particular lock. If the wait is late, the right is removed too: its holder must have died.
 */
function breakLock(
  path: string,
  holder: string,
  by: { ownHolder: string; isLate: boolean },
): "gone" | "busy" | "stays" {
  const breakerPath = `${path}.${hash("sha1", holder)}`;
  if (by.isLate) removeLock(breakerPath, readHolder(breakerPath) ?? "");
  if (!tryTakeLock(breakerPath, by.ownHolder)) return "busy";
  try {
    return removeLock(path, holder) ? "gone" : "stays";
  } finally {
    removeLock(breakerPath, by.ownHolder);
  }
}

/** Also true if the file cannot be created for any reason except that it exists. */
function tryTakeLock(path: string, holder: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(path, "wx", 0o600);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EEXIST";
  }
  try {
    writeFileSync(descriptor, holder);
  } catch {
    // Disk full: a lock that names nobody would make everybody wait.
    rmSync(path, { force: true });
  } finally {
    closeSync(descriptor);
  }
  return true;
}

function readHolder(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It is gone, or belongs to another user.
    return undefined;
  }
}

function hasDied(holder: string): boolean {
  const [pid, host, , pidSpace = pidNamespace()] = holder.split(" ");
  // The holder is in another container, where its pid means a different process.
  if (pidSpace !== pidNamespace()) return false;
  if (host !== hostname() || !/^\d+$/u.test(pid ?? "")) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Whether this holder no longer has the lock. */
function removeLock(path: string, holder: string): boolean {
  if (readHolder(path) !== holder) return true;
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
