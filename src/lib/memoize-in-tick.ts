/** Shares results among callers of one stretch of synchronous code. */

/** Calls `compute` once for each text until the running code has ended. Nothing else can have changed the answer in between. */
export function memoizeInTick<T>(compute: (text: string) => T): (text: string) => T {
  let known: Map<string, T> | undefined;
  return (text) => {
    if (known === undefined) {
      known = new Map();
      queueMicrotask(() => (known = undefined));
    }
    if (!known.has(text)) known.set(text, compute(text));
    return known.get(text) as T;
  };
}
