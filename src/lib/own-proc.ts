/**
 * Whether /proc describes the processes that this process can address by pid. In a chroot it may be empty; in a pid namespace it may belong
 * to another namespace, where the same pids mean other processes.
 */
import { readFileSync, readlinkSync } from "node:fs";

export function hasOwnProc(): boolean {
  try {
    return readlinkSync("/proc/self") === String(process.pid);
  } catch {
    return false;
  }
}

/** Equal if pids mean the same processes; undefined if the system does not tell. See pid_namespaces(7). */
export function pidNamespace(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return undefined;
  }
}

/** Equal on one machine, including its containers, until it reboots; undefined if the system does not tell. See proc_sys_kernel(5). */
export function bootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return undefined;
  }
}
