// For servers that are waited for.

/** Time that passes when the test says so. */
export class HandClock {
  now = 0;
  #timers: { at: number; onFire: () => void }[] = [];

  elapsed(): number {
    return this.now;
  }

  timer(ms: number, onFire: () => void): () => void {
    const timer = { at: this.now + ms, onFire };
    this.#timers.push(timer);
    return () => void (this.#timers = this.#timers.filter((each) => each !== timer));
  }

  /** Those that wait for less than `limit`: not the limits of an attempt. */
  waits(limit = 20_000): number[] {
    return this.#timers
      .map(({ at }) => at - this.now)
      .filter((ms) => ms < limit)
      .toSorted((a, b) => a - b);
  }

  pass(ms: number): void {
    this.now += ms;
    const due = this.#timers.filter(({ at }) => at <= this.now);
    this.#timers = this.#timers.filter((timer) => !due.includes(timer));
    for (const { onFire } of due) onFire();
  }
}

/** Looks again with each round of the event loop. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
