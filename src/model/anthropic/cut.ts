/**
 * What may end a wait on the server from this side: the caller's abort, or silence. The first cause wins and is kept;
 * whatever was being awaited is let go of at once, even if it never settles.
 */
import type { Timers } from "./timers.ts";

export type CutCause = { kind: "aborted" } | { kind: "stalled"; afterMs: number };

/** Rejects the wait that was cut. */
export class CutError extends Error {
  override readonly name = "CutError";
}

/** Made once: an abort without a reason makes an error with a stack, every call anew. */
const closed = new DOMException("The call is over", "AbortError");

export class Cut {
  cause: CutCause | undefined;
  /** Nothing of the request can have reached a server. */
  isUnsent = false;
  readonly #signal: AbortSignal;
  readonly #timers: Timers;
  readonly #timerMs: number;
  readonly #connection = new AbortController();
  readonly #onAbort = (): void => this.#cut({ kind: "aborted" });
  #reject: ((error: CutError) => void) | undefined;
  #closed = false;
  #limitMs = 0;
  /** When the silence began; undefined while nobody waits, because a slow reader is not a silent server. */
  #since: number | undefined;
  #cancelTimer: (() => void) | undefined;
  #opening: { since: number; limitMs: number } | undefined;

  /** @param timerMs no limit will be shorter: a timer of this length serves them all, and is set anew only when it has run out. */
  constructor(signal: AbortSignal, timers: Timers, timerMs: number) {
    this.#signal = signal;
    this.#timers = timers;
    this.#timerMs = timerMs;
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Aborts with the cut, and with `close`: the transport's. */
  get connection(): AbortSignal {
    return this.#connection.signal;
  }

  /** From now on `limitMs` without a byte is a stall. */
  expectByte(limitMs: number): void {
    this.#limitMs = limitMs;
    this.#since = this.#timers.elapsed();
    if (this.#cancelTimer === undefined) this.#arm(this.#timerMs);
  }

  /** A byte came. */
  byteCame(): void {
    this.#since = undefined;
  }

  /** A part of the request went out: who is still taking it is not silent yet. */
  readonly onSent = (): void => {
    if (this.#since !== undefined) this.#since = this.#timers.elapsed();
  };

  /** It was cut before there was a connection. */
  readonly onUnsent = (): void => {
    this.isUnsent = true;
  };

  /** From now on words of the answer have to come within `limitMs`, whatever else does: a gateway may send pings for ever. */
  limitOpening(limitMs: number): void {
    this.#opening = { since: this.#timers.elapsed(), limitMs };
  }

  /** The answer has begun: pings are all that comes of thinking that is not shown. */
  endOpening(): void {
    this.#opening = undefined;
  }

  /** Bytes came that were no words. Throws `CutError` where the time for those is over. */
  checkOpening(): void {
    if (this.#opening === undefined) return;
    const { since, limitMs } = this.#opening;
    if (this.#timers.elapsed() - since >= limitMs) this.#cut({ kind: "stalled", afterMs: limitMs });
    this.check();
  }

  /** Throws `CutError` where the cut has already come: nothing new may begin. */
  check(): void {
    if (this.cause !== undefined) throw new CutError();
  }

  /** Settles with `work`, or rejects with `CutError`. One wait at a time. */
  wait<T>(work: Promise<T>): Promise<T> {
    return this.waitAndTake(work, (value) => value);
  }

  /** The same, and settles with what `take` makes of it, or rejects with what it throws. */
  waitAndTake<T, R>(work: Promise<T>, take: (value: T) => R | Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      work.then((value) => {
        this.#reject = undefined;
        // The wait was ended already: what would be taken now, nobody gets.
        if (this.#closed) return reject(new CutError());
        try {
          resolve(take(value));
        } catch (error) {
          reject(error as Error);
        }
      }, reject);
      // Making `work` may itself have brought the end about.
      if (this.#closed) reject(new CutError());
    });
  }

  /** Drops timer and listener: for a connection that has given all it had. Idempotent. */
  release(): void {
    this.#closed = true;
    this.#disarm();
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  /** The same, and closes the connection and ends the wait there is. Idempotent. */
  close(): void {
    this.release();
    this.#connection.abort(closed);
    // Only where somebody waits: an error is dear to make, and every call ends here.
    this.#reject?.(new CutError());
  }

  #arm(ms: number): void {
    this.#cancelTimer = this.#timers.timer(ms, () => this.#onTimer());
  }

  #disarm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #onTimer(): void {
    this.#cancelTimer = undefined;
    if (this.#since === undefined) return;
    const silence = this.#timers.elapsed() - this.#since;
    if (silence >= this.#limitMs) this.#cut({ kind: "stalled", afterMs: this.#limitMs });
    else this.#arm(Math.min(this.#limitMs - silence, this.#timerMs));
  }

  #cut(cause: CutCause): void {
    if (this.cause !== undefined) return;
    this.cause = cause;
    this.close();
  }
}
