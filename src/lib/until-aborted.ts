/** The same items until the signal aborts, which also ends the waiting for the next one. */
export async function* untilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  if (signal === undefined) return yield* items;
  const iterator = items[Symbol.asyncIterator]();
  const { promise: aborted, resolve } = Promise.withResolvers<null>();
  const onAbort = (): void => resolve(null);
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  let isOver = false;
  try {
    for (;;) {
      const step = await Promise.race([iterator.next(), aborted]);
      if (step === null) return;
      isOver = step.done === true;
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    if (!isOver) await left(iterator, signal.aborted);
  }
}

/** A source that still waits for its next item ends when that comes: nobody waits for it after an abort. */
async function left(iterator: AsyncIterator<unknown>, wasAborted: boolean): Promise<void> {
  const ended = Promise.resolve().then(() => iterator.return?.());
  if (!wasAborted) await ended;
  else ended.catch(() => undefined);
}
