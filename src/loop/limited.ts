/** A wait with a limit that no cancel ends. */
import { errorOf } from "../lib/error-text.ts";
import type { ClockPort } from "./ports.ts";

/** Waits for what must be heard even after a cancel: a record being written. Null at the limit. */
export function limited<T>(clock: ClockPort, limitMs: number, pending: PromiseLike<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const stopTimer = clock.timer(limitMs, () => resolve(null));
    pending.then(
      (value) => {
        stopTimer();
        resolve(value);
      },
      (error: unknown) => {
        stopTimer();
        reject(errorOf(error));
      },
    );
  });
}
