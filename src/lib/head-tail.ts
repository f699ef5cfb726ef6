/** Keeps the first and last bytes of a stream of any length, in constant memory. */
export class HeadTail {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head: Uint8Array[] = [];
  #headBytes = 0;
  #ring: Buffer | null = null;
  #ringEnd = 0;
  #total = 0;

  /** The limits are in bytes. */
  constructor(headLimit: number, tailLimit: number) {
    this.#headLimit = headLimit;
    this.#tailLimit = tailLimit;
  }

  /** Copies the bytes it keeps: the chunk's memory may be reused. */
  push(chunk: Uint8Array): void {
    this.#total += chunk.length;
    const room = this.#headLimit - this.#headBytes;
    if (room <= 0) return this.#pushTail(chunk);
    const part = Buffer.from(chunk.subarray(0, room));
    this.#head.push(part);
    this.#headBytes += part.length;
    if (chunk.length > room) this.#pushTail(chunk.subarray(room));
  }

  #pushTail(chunk: Uint8Array): void {
    if (this.#tailLimit === 0) return;
    this.#ring ??= Buffer.allocUnsafe(this.#tailLimit);
    const kept = chunk.length > this.#tailLimit ? chunk.subarray(chunk.length - this.#tailLimit) : chunk;
    const toEnd = Math.min(kept.length, this.#tailLimit - this.#ringEnd);
    this.#ring.set(kept.subarray(0, toEnd), this.#ringEnd);
    this.#ring.set(kept.subarray(toEnd), 0);
    this.#ringEnd = (this.#ringEnd + kept.length) % this.#tailLimit;
  }

  /** The number of bytes pushed. */
  get total(): number {
    return this.#total;
  }

  head(): Buffer {
    return Buffer.concat(this.#head);
  }

  /** The last bytes, without those in `head()`. */
  tail(): Buffer {
    const after = this.#total - this.#headBytes;
    if (this.#ring === null || after === 0) return Buffer.alloc(0);
    if (after <= this.#tailLimit) return Buffer.from(this.#ring.subarray(0, after));
    return Buffer.concat([this.#ring.subarray(this.#ringEnd), this.#ring.subarray(0, this.#ringEnd)]);
  }

  /** The number of bytes that are in neither. */
  get dropped(): number {
    return Math.max(0, this.#total - this.#headBytes - this.#tailLimit);
  }
}
