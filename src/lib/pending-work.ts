/** Work that nobody awaits where it begins, and whose end others wait for. */
export class PendingWork {
  readonly #running = new Set<Promise<unknown>>();

  get isEmpty(): boolean {
    return this.#running.size === 0;
  }

  add(work: Promise<unknown>): void {
    const kept = work.finally(() => this.#running.delete(kept));
    this.#running.add(kept);
  }

  /** Resolves once all work has ended, including what is added meanwhile. Rejects as soon as one rejects. */
  async settled(): Promise<void> {
    while (!this.isEmpty) await Promise.all(this.#running);
  }
}
