/**
 * Whether /proc tells of the processes that this one may name by their numbers. In a chroot it may be an empty folder, and in a
 * namespace of processes that of another, where the same numbers are of others.
 */
import { readFileSync, readlinkSync } from "node:fs";

export function hasOwnProc(): boolean {
  try {
    return readlinkSync("/proc/self") === String(process.pid);
  } catch {
    return false;
  }
}

/** Equal where numbers of processes mean the same ones; undefined where the system does not tell. See pid_namespaces(7). */
export function pidNamespace(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return undefined;
  }
}

/** Equal on one machine, its containers too, as long as it runs; undefined where the system does not tell. See proc_sys_kernel(5). */
export function bootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return undefined;
  }
}
