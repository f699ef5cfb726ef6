/** Waiting with a time limit: nothing a surface waits for may keep the command from exiting. */
import { afterMs } from "../lib/after-ms.ts";
import { withTimeLimit } from "../lib/with-time-limit.ts";

/** Runs `late` after `milliseconds`; the returned function cancels it. Injected, so that tests need no clock. */
export type StartTimer = (milliseconds: number, late: () => void) => () => void;

export const startTimer: StartTimer = afterMs;

/** Returns true once `work` resolves, or false after `milliseconds`, while `work` continues. Rejects if `work` does. */
export async function settlesWithin(
  work: Promise<unknown>,
  milliseconds: number,
  start: StartTimer = startTimer,
): Promise<boolean> {
  return (
    (await withTimeLimit(
      { timer: start },
      milliseconds,
      work.then(() => true),
    )) === true
  );
}
