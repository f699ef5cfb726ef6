/** Why a surface stops before its work is done. The first cause wins and sets the exit code. */
export type StopCause = "interrupted" | "terminated" | "quit" | "output_closed";

export class StopDesk {
  #cause: StopCause | undefined;
  #isLeaving = false;
  /** The terminal is lent to another program, and signals from its keys are meant for that program. */
  isTerminalLent = false;
  #listener: ((cause: StopCause) => void) | undefined;

  get cause(): StopCause | undefined {
    return this.#cause;
  }

  /** The process is exiting: there is nothing left to report or to wait for. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  markLeaving(): void {
    this.#isLeaving = true;
  }

  /** True if a listener will act on a stop. */
  get hasListener(): boolean {
    return this.#listener !== undefined;
  }

  /** Returns whether this was the first cause. */
  stop(cause: StopCause): boolean {
    if (this.#cause !== undefined) return false;
    this.#cause = cause;
    this.#listener?.(cause);
    return true;
  }

  /** Sets the only listener, and calls it at once if there is a cause already. Returns a function that removes it. */
  onStop(listener: (cause: StopCause) => void): () => void {
    this.#listener = listener;
    if (this.#cause !== undefined) listener(this.#cause);
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  /** Runs `work` with a signal that aborts on a stop. */
  async runAbortable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ended = new AbortController();
    const unsubscribe = this.onStop(() => ended.abort());
    try {
      return await work(ended.signal);
    } finally {
      unsubscribe();
    }
  }
}
