/**
 * Whether /proc tells of the processes that this one may name by their numbers. In a chroot it may be an empty folder, and in a
 * namespace of processes that of another, where the same numbers are of others.
 */
import { readlinkSync } from "node:fs";

export function hasOwnProc(): boolean {
  try {
    return readlinkSync("/proc/self") === String(process.pid);
  } catch {
    return false;
  }
}
