/** Ctrl+C, SIGTERM and SIGHUP: the first asks whoever runs to stop and record; a second one, or one nobody attends to, leaves now. */
import type { StopCause, StopDesk } from "../surface/stop.ts";

interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
}

const signals: readonly (readonly [NodeJS.Signals, StopCause])[] = [
  ["SIGINT", "interrupted"],
  ["SIGTERM", "terminated"],
  ["SIGHUP", "terminated"],
];

/** `leaveNow` is told the cause that the exit code shall tell: the first one. */
export function listenForSignals(source: SignalSource, stop: StopDesk, leaveNow: (cause: StopCause) => void): void {
  for (const [signal, cause] of signals) {
    source.on(signal, () => {
      if (stop.isAttended && stop.stop(cause)) return;
      leaveNow(stop.cause === undefined || stop.cause === "output_closed" ? cause : stop.cause);
    });
  }
}
