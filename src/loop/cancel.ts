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
  /** The same, and each time it is cancelled again: for who may wait in spite of the first cause. */
  onEach(listener: (cause: Cause) => void): () => void;
}

/** A class, since one is made for each call: an object with getters of its own would have a shape of its own too. */
class OneCancel<Cause extends string> implements Cancel<Cause> {
  /** A list: a set that fills and empties all the time leaves a table behind each time. */
  readonly #listeners: ((cause: Cause) => void)[] = [];
  #again: Set<(cause: Cause) => void> | null = null;
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

  cancel(because: Cause): boolean {
    if (this.#cause !== null) {
      for (const listener of this.#again ?? []) listener(because);
      return false;
    }
    this.#cause = because;
    this.#controller?.abort(because);
    // One that is removed by another is not called.
    for (let next = this.#listeners.shift(); next !== undefined; next = this.#listeners.shift()) next(because);
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
    const again = (this.#again ??= new Set());
    again.add(listener);
    const forget = this.onCancel(listener);
    return () => {
      again.delete(listener);
      forget();
    };
  }
}

export function createCancel<Cause extends string = CancelCause>(): Cancel<Cause> {
  return new OneCancel<Cause>();
}

/** Why a call was told to end. */
export type CallEnd = CancelCause | "sibling" | "timeout" | "failed";
export type CallCancel = Cancel<CallEnd>;
