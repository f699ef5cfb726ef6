/** A number of places for work that must not be done by many at once. Whoever comes first is served first. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** True once there is a place, which is then the caller's until `leave`; false where `signal` aborted first. */
  async enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    return await new Promise<boolean>((resolve) => {
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(given), 1);
        resolve(false);
      };
      const given = (): void => {
        signal.removeEventListener("abort", onAbort);
        resolve(true);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(given);
    });
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
