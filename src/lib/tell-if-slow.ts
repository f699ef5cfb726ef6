/** Says what is waited for, where it takes a while. */
import { afterMs } from "./after-ms.ts";

/** What people wait for without a word before they think that nothing goes on. */
const quietMs = 2_000;

/** `tell` is called once at most, and only while `work` goes on. Ends as `work` does. */
export async function tellIfSlow<T>(work: Promise<T>, tell: () => void): Promise<T> {
  const cancel = afterMs(quietMs, tell);
  try {
    return await work;
  } finally {
    cancel();
  }
}
