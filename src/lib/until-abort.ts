/** Rejects where the signal aborts first; the work goes on. */
export function untilAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new Error("it was cancelled"));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort);
    const done = (): void => signal.removeEventListener("abort", onAbort);
    work.then(
      (value) => {
        done();
        resolve(value);
      },
      (error: unknown) => {
        done();
        reject(error as Error);
      },
    );
  });
}
