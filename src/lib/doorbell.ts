/** Lets one waiter await "this promise, or a ring", without leaving a reaction on a long-lived promise. */
import { toError } from "./error-text.ts";

export const rung = Symbol("rung");

export class Doorbell {
  #isRung = false;
  /** Resolves the current waiter's promise. */
  #wake: ((ring: typeof rung) => void) | null = null;

  /** Wakes the current waiter, or the next one. Several rings without a waiter count as one. */
  ring(): void {
    const wake = this.#wake;
    this.#wake = null;
    if (wake === null) this.#isRung = true;
    else wake(rung);
  }

  /** Settles with `pending`, or with `rung`; `pending` can then be waited for again. One waiter at a time. */
  wait<T>(pending: Promise<T>): Promise<T | typeof rung> {
    if (this.#isRung) return this.nextRing();
    return new Promise((resolve, reject) => {
      this.#wake = resolve;
      pending.then(
        (value) => {
          if (this.#wake === resolve) this.#wake = null;
          resolve(value);
        },
        (error: unknown) => {
          if (this.#wake === resolve) this.#wake = null;
          reject(toError(error));
        },
      );
    });
  }

  /** Resolves at the next ring. */
  nextRing(): Promise<typeof rung> {
    if (!this.#isRung)
      return new Promise((resolve) => {
        this.#wake = resolve;
      });
    this.#isRung = false;
    return Promise.resolve(rung);
  }
}
