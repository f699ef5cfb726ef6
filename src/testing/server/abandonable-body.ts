/** A response body that can be abandoned at any time, which ends whatever it is waiting for. */
import { onAbort } from "../../lib/on-abort.ts";

/**
 * A plain async generator that is waiting (for a stall or a pause) cannot be returned from until the wait is over. This iterator's
 * `return` ends the wait first.
 *
 * @param onAbandoned called if the body was abandoned before its first read.
 */
export function createAbandonableBody(
  make: (signal: AbortSignal) => AsyncGenerator<Uint8Array, void, undefined>,
  outer: AbortSignal | undefined,
  onAbandoned: () => void,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const own = new AbortController();
      // `AbortSignal.any` would keep each body that left a listener on its signal for as long as the outer signal lives.
      const stopForwarding = onAbort(outer, () => own.abort(outer?.reason));
      const generator = make(own.signal);
      let isStarted = false;
      return {
        async next() {
          isStarted = true;
          try {
            const result = await generator.next();
            if (result.done === true) stopForwarding();
            return result;
          } catch (error) {
            stopForwarding();
            throw error;
          }
        },
        async return() {
          own.abort(new DOMException("The response body was given up", "AbortError"));
          stopForwarding();
          if (!isStarted) onAbandoned();
          await generator.return();
          return { done: true as const, value: undefined };
        },
      };
    },
  };
}
