/** Resolves after `ms`, or at once when `signal` aborts, if there is one. */
export function pause(
  clock: { timer(ms: number, onFire: () => void): () => void },
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = () => {
      stop();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const stop = clock.timer(ms, done);
    signal?.addEventListener("abort", done);
  });
}
