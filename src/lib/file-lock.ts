/** A lock among all processes of a machine: a file that must not exist yet names its holder. */
import { hash, randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { afterMs } from "./after-ms.ts";
import { pidNamespace } from "./own-proc.ts";

/** Longer than rewriting a small file takes on any disk, ms. */
export const lockLimitMs = 2_000;
/** Time between two attempts, ms. */
const lookMs = 50;
/** A lock file names its holder right after it is created; one that is still empty after this time was left by a process that died, ms. */
const unnamedMs = 500;

/**
 * Runs `work` while this call holds the lock file at `path` (absolute, in an existing folder). A holder that died, or holds it longer than
 * `limitMs`, is ignored; if no file can be created, the work runs without a lock. Settles as `work` does.
 */
export async function withFileLock<T>(path: string, limitMs: number, work: () => Promise<T>): Promise<T> {
  const space = pidNamespace() ?? "";
  const mine = `${process.pid} ${hostname()} ${randomBytes(9).toString("hex")} ${space}`.trimEnd();
  let holder: string | undefined;
  let waited = 0;
  while (!isTaken(path, mine)) {
    const found = holderOf(path);
    if (found !== holder) waited = 0;
    holder = found;
    let isBusy = true;
    if (waited >= Math.min(limitMs, holder === "" ? unnamedMs : limitMs) || (holder !== undefined && hasDied(holder))) {
      // A lock that cannot be read or removed, such as another user's, is not waited for either.
      if (holder === undefined) break;
      const taken = takeAway(path, holder, { mine, isLate: waited >= 2 * limitMs });
      if (taken === "stays") break;
      isBusy = taken === "busy";
    }
    if (isBusy) await new Promise<void>((resolve) => void afterMs(lookMs, resolve));
    waited += lookMs;
  }
  try {
    return await work();
  } finally {
    remove(path, mine);
  }
}

/**
 * Only the holder of the right checks and removes the lock: otherwise another process could replace it with a live lock in between. The
 * right is a file named after this particular lock. If the wait is late, the right is removed too: its holder must have died.
 */
function takeAway(path: string, holder: string, by: { mine: string; isLate: boolean }): "gone" | "busy" | "stays" {
  const right = `${path}.${hash("sha1", holder)}`;
  if (by.isLate) remove(right, holderOf(right) ?? "");
  if (!isTaken(right, by.mine)) return "busy";
  try {
    return remove(path, holder) ? "gone" : "stays";
  } finally {
    remove(right, by.mine);
  }
}

/** Also true if the file cannot be created for any reason except that it exists. */
function isTaken(path: string, mine: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(path, "wx", 0o600);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EEXIST";
  }
  try {
    writeFileSync(descriptor, mine);
  } catch {
    // Disk full: a lock that names nobody would make everybody wait.
    rmSync(path, { force: true });
  } finally {
    closeSync(descriptor);
  }
  return true;
}

function holderOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It is gone, or belongs to another user.
    return undefined;
  }
}

function hasDied(holder: string): boolean {
  const [pid, host, , space = pidNamespace()] = holder.split(" ");
  // The holder is in another container, where its pid means a different process.
  if (space !== pidNamespace()) return false;
  if (host !== hostname() || !/^\d+$/u.test(pid ?? "")) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Whether this holder no longer has the lock. */
function remove(path: string, holder: string): boolean {
  if (holderOf(path) !== holder) return true;
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
