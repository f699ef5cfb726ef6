/**
 * One cancellation for a run or for one of its calls. The first cause wins and is written once. Listeners are called in the order they
 * joined.
 */
import type { CancelCause } from "../protocol/stop.ts";

export interface Cancel<Cause extends string = CancelCause> {
  /** Null until cancelled. */
  readonly cause: Cause | null;
  /** Aborts with the cause as its reason. Created on first use. */
  readonly signal: AbortSignal;
  /** Returns true if this call was the first. */
  cancel(cause: Cause): boolean;
  /** Calls back once, immediately if already cancelled. Returns a function that removes the listener. */
  onCancel(listener: (cause: Cause) => void): () => void;
  /** Like `onCancel`, and also on every later cancel: for listeners that may keep waiting despite the first cause. */
  onEach(listener: (cause: Cause) => void): () => void;
}

/** A class, because one is made for each call: every object with getters of its own would also have its own shape in V8. */
class OneCancel<Cause extends string> implements Cancel<Cause> {
  /** A list, because a set that fills and empties constantly leaves a table behind each time. */
  readonly #listeners: ((cause: Cause) => void)[] = [];
  #repeatListeners: Set<(cause: Cause) => void> | null = null;
  #controller: AbortController | null = null;
  #cause: Cause | null = null;

  get cause(): Cause | null {
    return this.#cause;
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#cause !== null) this.#controller.abort(this.#cause);
    }
    return this.#controller.signal;
  }

  cancel(cause: Cause): boolean {
    if (this.#cause !== null) {
      for (const listener of this.#repeatListeners ?? []) listener(cause);
      return false;
    }
    this.#cause = cause;
    this.#controller?.abort(cause);
    // A listener that another listener removes is not called.
    for (let next = this.#listeners.shift(); next !== undefined; next = this.#listeners.shift()) next(cause);
    return true;
  }

  onCancel(listener: (cause: Cause) => void): () => void {
    if (this.#cause !== null) {
      listener(this.#cause);
      return () => {};
    }
    this.#listeners.push(listener);
    return () => {
      const at = this.#listeners.indexOf(listener);
      if (at >= 0) this.#listeners.splice(at, 1);
    };
  }

  onEach(listener: (cause: Cause) => void): () => void {
    const repeatListeners = (this.#repeatListeners ??= new Set());
    repeatListeners.add(listener);
    const forget = this.onCancel(listener);
    return () => {
      repeatListeners.delete(listener);
      forget();
    };
  }
}

export function createCancel<Cause extends string = CancelCause>(): Cancel<Cause> {
  return new OneCancel<Cause>();
}

/** Why a call was told to end. */
export type CallCancelCause = CancelCause | "sibling" | "timeout" | "failed";
export type CallCancel = Cancel<CallCancelCause>;
