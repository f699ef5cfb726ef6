/** Limits how many tasks run at once. Tasks enter in the order of their calls. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** True once the caller has a slot, which it keeps until `leave`; false if `signal` aborted first. */
  async enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    return await new Promise<boolean>((resolve) => {
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(admit), 1);
        resolve(false);
      };
      const admit = (): void => {
        signal.removeEventListener("abort", onAbort);
        resolve(true);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(admit);
    });
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
