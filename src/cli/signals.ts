/**
 * Ctrl+C, SIGTERM and SIGHUP: the first signal asks the run to stop and save; a second signal, or one that no run handles,
 * ends the process now. SIGQUIT (Ctrl+\) ends it now: shell commands run in process groups of their own, which the terminal's
 * signal does not reach.
 */
import { constants, readFileSync } from "node:fs";
import { basename } from "node:path";
import type { JobControl } from "../surface/line/raw-terminal.ts";
import type { StopCause, StopDesk } from "../surface/stop-desk.ts";

interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
}

const signals: readonly (readonly [NodeJS.Signals, StopCause])[] = [
  ["SIGINT", "interrupted"],
  ["SIGTERM", "terminated"],
  ["SIGHUP", "terminated"],
];

/** `leaveNow` gets the first cause, which sets the exit code. `ignoresSignal` says whether to ignore a signal when it arrives. */
export function listenForSignals(
  source: SignalSource,
  stop: StopDesk,
  leaveNow: (cause: StopCause) => void,
  ignoresSignal: (signal: NodeJS.Signals) => boolean = () => false,
): void {
  for (const [signal, cause] of signals) {
    source.on(signal, () => {
      if (ignoresSignal(signal)) return;
      if (stop.hasListener && stop.stop(cause)) return;
      leaveNow(stop.cause === undefined || stop.cause === "output_closed" ? cause : stop.cause);
    });
  }
  source.on("SIGQUIT", () => void (ignoresSignal("SIGQUIT") || leaveNow("quit")));
  // Without a listener, SIGUSR1 makes Node open its debugger: a port where every user of the machine can run code as this user.
  source.on("SIGUSR1", () => {});
}

/**
 * Returns whether nohup started this process or the script that did. The ignored SIGHUP cannot be queried: Node resets all
 * signals to their default at start. But a shell names the program in `_`, and nohup replaces a terminal with an unreadable stdin.
 */
export function isUnderNohup(env: NodeJS.ProcessEnv, stdin = "/proc/self/fdinfo/0"): boolean {
  if (basename(env["_"] ?? "") === "nohup") return true;
  try {
    const flags = /^flags:\s*([0-7]+)$/mu.exec(readFileSync(stdin, "latin1"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & 3) === constants.O_WRONLY;
  } catch {
    // Other systems have no /proc.
    return false;
  }
}

interface JobProcess {
  kill(pid: number, signal: NodeJS.Signals): unknown;
  on(signal: "SIGCONT", listener: () => void): unknown;
  off(signal: "SIGCONT", listener: () => void): unknown;
  emit(signal: "SIGWINCH", name: "SIGWINCH"): unknown;
}

/** Ctrl+Z and the return from it. If no shell controls the process, SIGTSTP does nothing and the process continues at once. */
export function createJobControl(source: JobProcess): JobControl {
  let back: Promise<void> | undefined;
  return {
    // Stop the whole group, as the terminal does: otherwise a script that started pawl would keep waiting, and its shell too.
    suspend: () => {
      source.kill(0, "SIGTSTP");
      // Node delivers signals at the end of an event loop iteration, so the rest of this one does not see SIGCONT yet.
      back = new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    },
    get back() {
      return back;
    },
    onContinue: (listener) => {
      source.on("SIGCONT", listener);
      return () => void source.off("SIGCONT", listener);
    },
    // Node reads the size of its terminals again at each SIGWINCH.
    readSize: () => void source.emit("SIGWINCH", "SIGWINCH"),
  };
}
