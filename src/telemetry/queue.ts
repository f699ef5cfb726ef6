/** Records waiting to be sent, limited in number and characters; beyond the limits, the oldest are dropped. */

export interface QueueLimits {
  records: number;
  characters: number;
}

const queueLimits: QueueLimits = { records: 2_048, characters: 8 * 1024 * 1024 };

interface QueueEntry<T> {
  record: T;
  size: number;
}

export class BoundedQueue<T> {
  readonly #limits: QueueLimits;
  #entries: QueueEntry<T>[] = [];
  #characters = 0;
  /** How many records were dropped. */
  dropped = 0;

  constructor(limits: QueueLimits = queueLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.length;
  }

  push(record: T, size: number): void {
    this.#entries.push({ record, size });
    this.#characters += size;
    this.#trim();
  }

  take(limit: number): { records: T[]; putBack: () => void } {
    const entries = this.#entries.splice(0, limit);
    for (const { size } of entries) this.#characters -= size;
    const putBack = (): void => {
      this.#entries.unshift(...entries);
      for (const { size } of entries) this.#characters += size;
      this.#trim();
    };
    return { records: entries.map(({ record }) => record), putBack };
  }

  #trim(): void {
    let dropCount = 0;
    while (
      dropCount < this.#entries.length - 1 &&
      (this.#entries.length - dropCount > this.#limits.records || this.#characters > this.#limits.characters)
    )
      this.#characters -= this.#entries[dropCount++]?.size ?? 0;
    this.#entries.splice(0, dropCount);
    this.dropped += dropCount;
  }
}
