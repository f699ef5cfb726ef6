/** Whose something on the disk is: the process that made it, so that the next one can tell what one that died has left. */
import { isRecord } from "../../lib/is-record.ts";
import type { ProcessTable } from "../../transcript/process-table.ts";

export interface Owner {
  pid: number;
  host: string;
  space: string | undefined;
  started: string | undefined;
}

export function ownerOf(processes: ProcessTable): Owner {
  const { pid, host, space } = processes;
  return { pid, host, space, started: processes.startOf(pid) };
}

/** A container that was started anew has its old name, and what it left is nobody's. */
const longestMs = 7 * 24 * 60 * 60 * 1_000;

/** `owner`: as it was written, `ageMs` ago. Of another machine with the same disk nobody can tell, nor of a container until it is old. */
export function isGone(owner: unknown, processes: ProcessTable, ageMs: number): boolean {
  if (!isRecord(owner) || owner["host"] !== processes.host) return false;
  if (owner["space"] !== processes.space) return ageMs > longestMs;
  const { pid, started } = owner;
  if (typeof pid !== "number" || !processes.isAlive(pid)) return true;
  const current = processes.startOf(pid);
  return started !== undefined && current !== undefined && current !== started;
}
