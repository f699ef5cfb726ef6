/** Writable ends for tests: what was written, a reader that can be slow, one that goes away. */
import { Writable } from "node:stream";

export class Collector extends Writable {
  text = "";
  writes = 0;
  isTTY?: boolean;
  columns?: number;
  rows?: number;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.text += chunk.toString("utf8");
    this.writes += 1;
    done();
  }
}

/** Takes nothing until told to. */
export class SlowReader extends Writable {
  text = "";
  #waiting: (() => void) | undefined;
  #isOpen = false;

  constructor() {
    super({ highWaterMark: 1024 });
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.text += chunk.toString("utf8");
    if (this.#isOpen) done();
    else this.#waiting = done;
  }

  /** Takes what is offered now, and one chunk more at each call. */
  take(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }

  open(): void {
    this.#isOpen = true;
    this.take();
  }
}

/** Fails with `code` after `good` writes. */
export class GoneReader extends Writable {
  text = "";
  #good: number;
  readonly #code: string;

  constructor(good: number, code = "EPIPE") {
    super();
    this.#good = good;
    this.#code = code;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#good <= 0) {
      done(Object.assign(new Error(`write ${this.#code}`), { code: this.#code }));
      return;
    }
    this.#good -= 1;
    this.text += chunk.toString("utf8");
    done();
  }
}

/** Resolves after whatever is due in this turn of the event loop and the next. */
export async function settled(rounds = 3): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
