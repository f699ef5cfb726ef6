/** The owner of something on disk: the process that made it, so that a later process can recognize what a dead one left. */
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
  return { pid, host, space, started: processes.startTimeOf(pid) };
}

/** A restarted container keeps its host name but gets a new process namespace, so owners from another namespace expire after this time. */
const maxForeignAgeMs = 7 * 24 * 60 * 60 * 1_000;

/** `owner`: as written `ageMs` ago. An owner on another machine is never considered gone, one in another container only after a week. */
export function isGone(owner: unknown, processes: ProcessTable, ageMs: number): boolean {
  if (!isRecord(owner) || owner["host"] !== processes.host) return false;
  if (owner["space"] !== processes.space) return ageMs > maxForeignAgeMs;
  const { pid, started } = owner;
  if (typeof pid !== "number" || !processes.isAlive(pid)) return true;
  const current = processes.startTimeOf(pid);
  return started !== undefined && current !== undefined && current !== started;
}
