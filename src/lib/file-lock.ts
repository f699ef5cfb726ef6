/** One at a time among all processes of a machine that ask: a file that must not be there yet names who is at work. */
import { hash, randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { afterMs } from "./after-ms.ts";
import { pidNamespace } from "./own-proc.ts";

/** Longer than it takes to write a small file anew on any disk, ms. */
export const lockLimitMs = 2_000;
/** Between two looks, ms. */
const lookMs = 50;
/** A lock is made and says whose it is at once: whoever left one that does not has died in between, ms. */
const unnamedMs = 500;

/**
 * Runs `work` while the file at `path` (absolute, in a folder that is there) is this call's. Whoever died with it, or holds it for
 * longer than `limitMs`, is passed over; where no file can be made, the work is done without one. Settles as `work` does.
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
      // What cannot be read or taken away, as of another user, is not waited for either.
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
 * Only who has the right to it looks and removes: another one could have removed it between the two, and the lock be a living one's. The right
 * is a file named after this very lock. Late, it is passed over: whoever had it died with it.
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

/** Also where the file cannot be made for another reason than that it is there. */
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
    // On a full disk: one that names nobody would be waited for by everybody.
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
    // It is gone, or another user's.
    return undefined;
  }
}

function hasDied(holder: string): boolean {
  const [pid, host, , space = pidNamespace()] = holder.split(" ");
  // Of another container, where the number is another process's.
  if (space !== pidNamespace()) return false;
  if (host !== hostname() || !/^\d+$/u.test(pid ?? "")) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Whether that holder has it no more. */
function remove(path: string, holder: string): boolean {
  if (holderOf(path) !== holder) return true;
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
