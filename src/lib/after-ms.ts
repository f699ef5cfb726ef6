/** A timer that lets this process handle what it waits for before it acts, also if the process was held up. */
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
  const finish = (): void => void (immediate = setImmediate(action));
  const waitMs = Math.min(ms, longestTimerMs);
  const due = elapsedMs() + waitMs;
  let timer = setTimeout(() => {
    // Only once: on a machine where each timer is late, the action would never come.
    if (elapsedMs() - due > heldUpMs) timer = setTimeout(finish, Math.min(waitMs, catchUpMs));
    else finish();
  }, waitMs);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
