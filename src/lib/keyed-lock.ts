/** One at a time per key, in the order of asking; other keys do not wait. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs `work` once everything asked for earlier under `key` has settled. Settles as `work` does. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const { promise: mine, resolve: release } = Promise.withResolvers<void>();
    this.#tails.set(key, mine);
    try {
      await before;
      return await work();
    } finally {
      release();
      if (this.#tails.get(key) === mine) this.#tails.delete(key);
    }
  }

  /** Keys that are held or waited for. */
  get size(): number {
    return this.#tails.size;
  }
}
