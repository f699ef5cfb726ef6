/** Counts the requests in flight per key, so that a released connection is closed once they are answered. */
export class InFlightRequests<Key extends object> {
  readonly #counts = new Map<Key, number>();
  readonly #waiting = new Map<Key, () => void>();

  async track<T>(key: Key, work: Promise<T>): Promise<T> {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    try {
      return await work;
    } finally {
      const left = (this.#counts.get(key) ?? 1) - 1;
      if (left > 0) this.#counts.set(key, left);
      else this.#finish(key);
    }
  }

  #finish(key: Key): void {
    this.#counts.delete(key);
    this.#waiting.get(key)?.();
    this.#waiting.delete(key);
  }

  whenIdle(key: Key): Promise<void> {
    if (!this.#counts.has(key)) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.set(key, resolve));
  }

  /** Stops waiting for requests in flight. */
  stopWaiting(): void {
    for (const key of this.#waiting.keys()) this.#finish(key);
  }
}
