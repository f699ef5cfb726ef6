/** Reports what is waited for if it takes a while. */
import { afterMs } from "./after-ms.ts";

/** How long people wait in silence before they think that nothing happens, ms. */
const quietMs = 2_000;

/** Calls `notify` at most once, and only while `work` is unfinished. Settles as `work` does. */
export async function notifyIfSlow<T>(work: Promise<T>, notify: () => void): Promise<T> {
  const cancel = afterMs(quietMs, notify);
  try {
    return await work;
  } finally {
    cancel();
  }
}
