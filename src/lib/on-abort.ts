/** Listening for an abort that ends with what it is for, so that a signal that lives long keeps no listener. */

/** `react` at once where the signal was aborted before. Answers what ends the listening. */
export function onAbort(signal: AbortSignal | undefined, react: () => void): () => void {
  if (signal?.aborted === true) react();
  signal?.addEventListener("abort", react);
  return () => signal?.removeEventListener("abort", react);
}
