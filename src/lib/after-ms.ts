/** A timer that counts only the time in which this process could have seen what it waits for. */
import { elapsedMs } from "./elapsed-ms.ts";

/** The longest timer, ms (about 25 days): Node.js fires longer ones at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** A timer that fires so much too late shows that the process was held up, ms. */
const heldUpMs = 100;
/** How long what happened meanwhile may then take to be handled, ms: the end of a program is several events, one after the other. */
const catchUpMs = 300;

/**
 * Runs `action` once after `ms`, but only after events that are already waiting were handled. A process that was held up (Ctrl+Z, a paused
 * container, a machine that is too busy) would otherwise see its timeout before the answer that came in time. Returns a function that cancels.
 */
export function afterMs(ms: number, action: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  let timer: NodeJS.Timeout;
  const start = (waitMs: number): void => {
    const due = elapsedMs() + waitMs;
    timer = setTimeout(() => {
      if (elapsedMs() - due > heldUpMs) start(Math.min(waitMs, catchUpMs));
      else immediate = setImmediate(action);
    }, waitMs);
  };
  start(Math.min(ms, longestTimerMs));
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
