/** Waits for work that whoever wants to stop does not wait for. Rejects as the work does; what it does after an abort is not heard. */
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
