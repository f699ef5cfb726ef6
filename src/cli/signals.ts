/**
 * Ctrl+C, SIGTERM and SIGHUP: the first asks whoever runs to stop and record; a second one, or one nobody attends to, leaves now.
 * SIGQUIT (Ctrl+\) leaves now: commands are in groups of their own, which the terminal's signal does not reach.
 */
import { constants, readFileSync } from "node:fs";
import { basename } from "node:path";
import type { JobControl } from "../surface/line/lent-terminal.ts";
import type { StopCause, StopDesk } from "../surface/stop.ts";

interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
}

const signals: readonly (readonly [NodeJS.Signals, StopCause])[] = [
  ["SIGINT", "interrupted"],
  ["SIGTERM", "terminated"],
  ["SIGHUP", "terminated"],
];

/** `leaveNow` is told the cause that the exit code shall tell: the first one. `passesOver` is asked as a signal comes. */
export function listenForSignals(
  source: SignalSource,
  stop: StopDesk,
  leaveNow: (cause: StopCause) => void,
  passesOver: (signal: NodeJS.Signals) => boolean = () => false,
): void {
  for (const [signal, cause] of signals) {
    source.on(signal, () => {
      if (passesOver(signal)) return;
      if (stop.isAttended && stop.stop(cause)) return;
      leaveNow(stop.cause === undefined || stop.cause === "output_closed" ? cause : stop.cause);
    });
  }
  source.on("SIGQUIT", () => void (passesOver("SIGQUIT") || leaveNow("quit")));
  // Without a listener Node opens its debugger at this one: a port at which every user of the machine can run code as this one.
  source.on("SIGUSR1", () => {});
}

/**
 * Whether nohup began this process, or the script that did. That hangups are ignored cannot be asked: Node sets all signals to
 * their default as it starts. A shell names the program in `_`, and nohup puts what cannot be read in the place of a terminal.
 */
export function isByNohup(env: NodeJS.ProcessEnv, stdin = "/proc/self/fdinfo/0"): boolean {
  if (basename(env["_"] ?? "") === "nohup") return true;
  try {
    const flags = /^flags:\s*([0-7]+)$/mu.exec(readFileSync(stdin, "latin1"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & 3) === constants.O_WRONLY;
  } catch {
    // Other systems do not tell.
    return false;
  }
}

interface JobProcess {
  kill(pid: number, signal: NodeJS.Signals): unknown;
  on(signal: "SIGCONT", listener: () => void): unknown;
  off(signal: "SIGCONT", listener: () => void): unknown;
  emit(signal: "SIGWINCH", name: "SIGWINCH"): unknown;
}

/** Ctrl+Z, and coming back from it. Where no shell looks after the process the signal does nothing, and it goes on at once. */
export function jobControlOf(source: JobProcess): JobControl {
  let back: Promise<void> | undefined;
  return {
    // The whole group, as the terminal itself does it: a script that started this would wait on, and the shell with it.
    suspend: () => {
      source.kill(0, "SIGTSTP");
      // Node tells of signals last in a turn of its loop, and the rest of this turn knows of none yet.
      back = new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    },
    get back() {
      return back;
    },
    onContinue: (listener) => {
      source.on("SIGCONT", listener);
      return () => void source.off("SIGCONT", listener);
    },
    // Node asks for the size of its terminals at each of these.
    readSize: () => void source.emit("SIGWINCH", "SIGWINCH"),
  };
}
