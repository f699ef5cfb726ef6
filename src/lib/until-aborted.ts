/** The same items until one of the signals aborts, which also ends the waiting for the next one. */
import { onAbort } from "./on-abort.ts";

export async function* untilAborted<T>(
  items: AsyncIterable<T>,
  signals: readonly (AbortSignal | undefined)[],
): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  let [isOver, isWaiting] = [false, false];
  try {
    while (signals.every((signal) => signal?.aborted !== true)) {
      isWaiting = true;
      const step = await nextUnlessAborted(iterator, signals);
      if (step === null) return;
      isWaiting = false;
      isOver = step.done === true;
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    if (!isOver) await left(iterator, isWaiting);
  }
}

/** Null once a signal aborts. It listens for one item only: in a race with one promise for all, each item would be held until the end. */
async function nextUnlessAborted<T>(
  iterator: AsyncIterator<T>,
  signals: readonly (AbortSignal | undefined)[],
): Promise<IteratorResult<T> | null> {
  const { promise: aborted, resolve } = Promise.withResolvers<null>();
  const listening = signals.map((signal) => onAbort(signal, () => resolve(null)));
  try {
    return await Promise.race([iterator.next(), aborted]);
  } finally {
    for (const end of listening) end();
  }
}

/** A source that still waits for its next item ends when that comes: nobody waits for it. */
export async function left(iterator: AsyncIterator<unknown>, isWaiting: boolean): Promise<void> {
  const ended = Promise.resolve().then(() => iterator.return?.());
  if (!isWaiting) await ended;
  else ended.catch(() => undefined);
}
