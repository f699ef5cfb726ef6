/** Waiting with an end: nothing a surface waits for may keep the command from exiting. */
import { afterMs } from "../lib/after-ms.ts";
import { limited } from "../lib/limited.ts";

/** Runs `late` after `milliseconds` unless cancelled. Injected, so that tests need no clock. */
export type StartTimer = (milliseconds: number, late: () => void) => () => void;

export const startTimer: StartTimer = afterMs;

/** True once `work` has settled, false when `milliseconds` passed first; `work` then goes on. Rejects as `work` does. */
export async function settlesWithin(
  work: Promise<unknown>,
  milliseconds: number,
  start: StartTimer = startTimer,
): Promise<boolean> {
  return (
    (await limited(
      { timer: start },
      milliseconds,
      work.then(() => true),
    )) === true
  );
}
