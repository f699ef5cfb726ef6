/** Why a surface stops before its work is done: the first cause wins and is what the exit code tells. */
export type StopCause = "interrupted" | "terminated" | "quit" | "output_closed";

export class StopDesk {
  #cause: StopCause | undefined;
  #isLeaving = false;
  /** Another program has the terminal: what is pressed there is meant for that. */
  isLent = false;
  #listener: ((cause: StopCause) => void) | undefined;

  get cause(): StopCause | undefined {
    return this.#cause;
  }

  /** The process is on its way out: there is nothing left to say or wait for. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  leave(): void {
    this.#isLeaving = true;
  }

  /** Somebody will act on a stop. */
  get isAttended(): boolean {
    return this.#listener !== undefined;
  }

  /** Answers whether this was the first cause. */
  stop(cause: StopCause): boolean {
    if (this.#cause !== undefined) return false;
    this.#cause = cause;
    this.#listener?.(cause);
    return true;
  }

  /** One listener at a time; told at once where there is a cause already. Returns the way to leave. */
  attend(listener: (cause: StopCause) => void): () => void {
    this.#listener = listener;
    if (this.#cause !== undefined) listener(this.#cause);
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  /** `work` with a signal that aborts on a stop. */
  async during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ended = new AbortController();
    const leave = this.attend(() => ended.abort());
    try {
      return await work(ended.signal);
    } finally {
      leave();
    }
  }
}
