/** The clock of this directory, passed in. */
import { afterMs } from "../../lib/after-ms.ts";
import { elapsedMs } from "../../lib/elapsed-ms.ts";

export interface Timers {
  /** Ms since the epoch. */
  now(): number;
  /** Ms since some moment of this process: for durations and limits. Setting the clock does not make it jump. */
  elapsed(): number;
  /** Runs `action` once after `ms`. The returned function cancels. */
  timer(ms: number, action: () => void): () => void;
}

export const systemTimers: Timers = {
  now: () => Date.now(),
  elapsed: elapsedMs,
  timer: afterMs,
};
