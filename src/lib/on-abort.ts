/** Listens for an abort and returns a function that stops, so that a long-lived signal keeps no listeners. */

/** Calls `react` once: at the abort, or at once if the signal is already aborted. Returns a function that stops listening. */
export function onAbort(signal: AbortSignal | undefined, react: () => void): () => void {
  if (signal?.aborted === true) {
    react();
    return () => undefined;
  }
  signal?.addEventListener("abort", react);
  return () => signal?.removeEventListener("abort", react);
}
