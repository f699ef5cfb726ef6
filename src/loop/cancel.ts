/** One cancellation for a run: the first cause wins and is written once. Children are told in the order they joined. */
import type { CancelCause } from "../protocol/stop.ts";

export interface Cancel {
  /** Null while nobody has cancelled. */
  readonly cause: CancelCause | null;
  /** Aborts with the cause as its reason. */
  readonly signal: AbortSignal;
  /** True where this call was the first. */
  cancel(cause: CancelCause): boolean;
  /** Calls back once, at once if already cancelled. Returns what removes it. */
  onCancel(listener: (cause: CancelCause) => void): () => void;
}

export function createCancel(): Cancel {
  const controller = new AbortController();
  const listeners = new Set<(cause: CancelCause) => void>();
  let cause: CancelCause | null = null;
  return {
    get cause() {
      return cause;
    },
    signal: controller.signal,
    cancel(because) {
      if (cause !== null) return false;
      cause = because;
      controller.abort(because);
      for (const listener of listeners) listener(because);
      listeners.clear();
      return true;
    },
    onCancel(listener) {
      if (cause !== null) {
        listener(cause);
        return () => {};
      }
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
