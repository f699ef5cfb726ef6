/** Rejects if the signal aborts first; the work continues. */
import { onAbort } from "./on-abort.ts";

export async function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stopListening = onAbort(signal, () => reject(new Error("it was cancelled")));
  try {
    return await Promise.race([aborted, work]);
  } finally {
    stopListening();
  }
}
