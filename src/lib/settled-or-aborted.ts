/** Waits for work until the signal aborts. Rejects as the work does; its outcome after an abort is ignored. */
import { onAbort } from "./on-abort.ts";

export async function settledOrAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const stopListening = onAbort(signal, resolve);
  try {
    await Promise.race([work, aborted]);
  } finally {
    stopListening();
  }
}
