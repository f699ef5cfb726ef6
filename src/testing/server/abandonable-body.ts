/** A response body that can be abandoned at any time, which ends whatever it is waiting for. */

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
      const generator = make(outer === undefined ? own.signal : AbortSignal.any([outer, own.signal]));
      let isStarted = false;
      return {
        next() {
          isStarted = true;
          return generator.next();
        },
        async return() {
          own.abort(new DOMException("The response body was given up", "AbortError"));
          if (!isStarted) onAbandoned();
          await generator.return();
          return { done: true as const, value: undefined };
        },
      };
    },
  };
}
