/** Lets one waiter await "that promise, or a ring", without leaving a reaction on anything long-lived. */
import { errorOf } from "./error-text.ts";

export const rung = Symbol("rung");

export class Doorbell {
  #isRung = false;
  /** The waiter's. */
  #wake: ((ring: typeof rung) => void) | null = null;

  /** Wakes the waiter, or the next one to come. Rings that nobody heard count once. */
  ring(): void {
    const wake = this.#wake;
    this.#wake = null;
    if (wake === null) this.#isRung = true;
    else wake(rung);
  }

  /** Settles with `pending`, or with `rung`. `pending` may be waited for again afterwards. One waiter at a time. */
  wait<T>(pending: Promise<T>): Promise<T | typeof rung> {
    if (this.#isRung) return this.heard();
    return new Promise((resolve, reject) => {
      this.#wake = resolve;
      pending.then(
        (value) => {
          if (this.#wake === resolve) this.#wake = null;
          resolve(value);
        },
        (error: unknown) => {
          if (this.#wake === resolve) this.#wake = null;
          reject(errorOf(error));
        },
      );
    });
  }

  /** Settles at the next ring. */
  heard(): Promise<typeof rung> {
    if (!this.#isRung)
      return new Promise((resolve) => {
        this.#wake = resolve;
      });
    this.#isRung = false;
    return Promise.resolve(rung);
  }
}
