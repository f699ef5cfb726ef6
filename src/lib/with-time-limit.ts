/** Waits with a time limit. No signal ends the wait, and the limit does not cancel the work. */
import { toError } from "./error-text.ts";

/** Null at the limit; the work then continues. Rejects as the work does. */
export function withTimeLimit<T>(
  clock: { timer(ms: number, onFire: () => void): () => void },
  limitMs: number,
  pending: PromiseLike<T>,
): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const stopTimer = clock.timer(limitMs, () => resolve(null));
    pending.then(
      (value) => {
        stopTimer();
        resolve(value);
      },
      (error: unknown) => {
        stopTimer();
        reject(toError(error));
      },
    );
  });
}
