/** Lets one waiter await "that promise, or a ring", without leaving a reaction on anything long-lived. */

export const rung = Symbol("rung");

export class Doorbell {
  #isRung = false;
  #wake: (() => void) | null = null;

  /** Wakes the waiter, or the next one to come. Rings that nobody heard count once. */
  ring(): void {
    const wake = this.#wake;
    if (wake === null) this.#isRung = true;
    else wake();
  }

  /** Settles with `pending`, or with `rung`. `pending` may be waited for again afterwards. One waiter at a time. */
  wait<T>(pending: Promise<T>): Promise<T | typeof rung> {
    if (this.#isRung) {
      this.#isRung = false;
      return Promise.resolve(rung);
    }
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        this.#wake = null;
        resolve(rung);
      };
      const forget = (): void => {
        if (this.#wake === wake) this.#wake = null;
      };
      this.#wake = wake;
      pending.then(
        (value) => {
          forget();
          resolve(value);
        },
        (error: unknown) => {
          forget();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  /** Settles at the next ring. */
  heard(): Promise<void> {
    if (this.#isRung) {
      this.#isRung = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = null;
        resolve();
      };
    });
  }
}
