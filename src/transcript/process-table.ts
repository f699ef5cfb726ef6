/** What locks need to know about processes: which are alive, since when, and when this one ends. */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { elapsedMs } from "../lib/elapsed-ms.ts";
import { bootId, hasOwnProc, pidNamespace } from "../lib/own-proc.ts";
import { systemCode } from "../lib/system-reason.ts";

export interface ProcessTable {
  pid: number;
  host: string;
  /** Equal if pids mean the same processes: containers may share a disk and a host name. Undefined if the system does not tell. */
  readonly space?: string | undefined;
  /** Equal on one machine, including its containers, until it reboots. Undefined if the system does not tell. */
  readonly boot?: string | undefined;
  isAlive(pid: number): boolean;
  /** Opaque; equal only for the same process. Undefined if the system does not tell. */
  startTimeOf(pid: number): string | undefined;
  /** Unique among processes and calls. */
  nonce(): string;
  /** Calls `run` when the process exits normally or through `process.exit`. */
  onExit(run: () => void): void;
  offExit(run: () => void): void;
  /** Calls `run` every `heartbeatMs` while the process lives, without keeping it alive. Returns a function that stops that. */
  onHeartbeat?(run: () => void): () => void;
}

const exitHandlers = new Set<() => void>();
const runExitHandlers = () => {
  for (const run of exitHandlers) run();
};
let nonceCount = 0;
/** Cached for this process: the value does not change, and every session lock needs it. */
let ownStart: string | undefined;
let ownSpace: string | undefined;
let ownBoot: string | undefined;

const heartbeatMs = 20_000;
const heartbeatHandlers = new Set<() => void>();
let heartbeatTimer: NodeJS.Timeout | undefined;

export const nodeProcesses: ProcessTable = {
  pid: process.pid,
  host: hostname(),
  get space() {
    return (ownSpace ??= pidNamespace());
  },
  get boot() {
    return (ownBoot ??= bootId());
  },
  isAlive(pid) {
    try {
      process.kill(pid, 0);
    } catch (error) {
      return systemCode(error) === "EPERM";
    }
    const state = processStatus(pid)?.state;
    return state !== "Z" && state !== "X";
  },
  startTimeOf(pid) {
    if (pid !== process.pid) return processStatus(pid)?.started;
    return (ownStart ??= processStatus(pid)?.started);
  },
  nonce: () => `${process.pid}-${Math.round((Date.now() + (elapsedMs() % 1)) * 1000).toString(36)}-${nonceCount++}`,
  onExit(run) {
    if (exitHandlers.size === 0) process.on("exit", runExitHandlers);
    exitHandlers.add(run);
  },
  offExit(run) {
    exitHandlers.delete(run);
    if (exitHandlers.size === 0) process.off("exit", runExitHandlers);
  },
  onHeartbeat(run) {
    heartbeatHandlers.add(run);
    heartbeatTimer ??= setInterval(() => {
      for (const beat of heartbeatHandlers) beat();
    }, heartbeatMs).unref();
    return () => {
      heartbeatHandlers.delete(run);
      if (heartbeatHandlers.size > 0) return;
      clearInterval(heartbeatTimer);
      heartbeatTimer = undefined;
    };
  },
};

/** Fields 3 and 22 of proc_pid_stat(5). The second field, in parentheses, may contain anything. */
function processStatus(pid: number): { state: string; started: string } | undefined {
  if (!hasOwnProc()) return undefined;
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, started] = [fields[0], fields[19]];
  return state === undefined || started === undefined ? undefined : { state, started };
}
