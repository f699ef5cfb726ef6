/** Yields the same items until one of the signals aborts, which also ends the wait for the next item. */
import { onAbort } from "./on-abort.ts";

export async function* itemsUntilAborted<T>(
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
    if (!isOver) await closeIterator(iterator, isWaiting);
  }
}

/** Null once a signal aborts. Listens for one item only: a race with one promise for all would keep every item in memory until the end. */
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

/** Closes the source. If it still waits for an item, it ends when that comes, and is not waited for. */
export async function closeIterator(iterator: AsyncIterator<unknown>, isWaiting: boolean): Promise<void> {
  const ended = Promise.resolve().then(() => iterator.return?.());
  if (!isWaiting) await ended;
  else ended.catch(() => undefined);
}
