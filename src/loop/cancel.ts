/** One cancellation for a run, or for a call of it: the first cause wins and is written once. Children are told in the order they joined. */
import type { CancelCause } from "../protocol/stop.ts";

export interface Cancel<Cause extends string = CancelCause> {
  /** Null while nobody has cancelled. */
  readonly cause: Cause | null;
  /** Aborts with the cause as its reason. Made when it is first asked for. */
  readonly signal: AbortSignal;
  /** True where this call was the first. */
  cancel(cause: Cause): boolean;
  /** Calls back once, at once if already cancelled. Returns what removes it. */
  onCancel(listener: (cause: Cause) => void): () => void;
}

export function createCancel<Cause extends string = CancelCause>(): Cancel<Cause> {
  const listeners = new Set<(cause: Cause) => void>();
  let controller: AbortController | null = null;
  let cause: Cause | null = null;
  return {
    get cause() {
      return cause;
    },
    get signal() {
      if (controller === null) {
        controller = new AbortController();
        if (cause !== null) controller.abort(cause);
      }
      return controller.signal;
    },
    cancel(because) {
      if (cause !== null) return false;
      cause = because;
      controller?.abort(because);
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
