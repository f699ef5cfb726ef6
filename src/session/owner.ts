/** Whose something on the disk is: the process that made it, so that the next one can tell what one that died has left. */
import { isRecord } from "../lib/is-record.ts";
import type { ProcessTable } from "../transcript/process-table.ts";

export interface Owner {
  pid: number;
  host: string;
  started: string | undefined;
}

export function ownerOf(processes: ProcessTable): Owner {
  const { pid, host } = processes;
  return { pid, host, started: processes.startOf(pid) };
}

/** `owner`: as it was written. Of another machine with the same disk nobody can tell. */
export function isGone(owner: unknown, processes: ProcessTable): boolean {
  if (!isRecord(owner) || owner["host"] !== processes.host) return false;
  const { pid, started } = owner;
  if (typeof pid !== "number" || !processes.isAlive(pid)) return true;
  const current = processes.startOf(pid);
  return started !== undefined && current !== undefined && current !== started;
}
