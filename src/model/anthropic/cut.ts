/**
 * What may end a wait on the server from this side: the caller's abort, or silence. The first cause wins and is kept. Whatever is
 * being awaited is let go of at once, even if it never settles.
 */
import type { Timers } from "./timers.ts";

export type CutCause = { kind: "aborted" } | { kind: "stalled"; afterMs: number };

/** Rejects the wait that was cut short. */
export class CutError extends Error {
  override readonly name = "CutError";
}

/** Created once: an abort without a reason creates an error with a stack in every call. */
const callOverError = new DOMException("The call is over", "AbortError");

export class Cut {
  cause: CutCause | undefined;
  /** No part of the request can have reached a server. */
  isUnsent = false;
  readonly #signal: AbortSignal;
  readonly #timers: Timers;
  readonly #timerMs: number;
  readonly #connection = new AbortController();
  readonly #onAbort = (): void => this.#cut({ kind: "aborted" });
  #reject: ((error: CutError) => void) | undefined;
  #isClosed = false;
  #limitMs = 0;
  /** When the silence began; undefined while nobody waits, because a slow reader is not a silent server. */
  #since: number | undefined;
  #cancelTimer: (() => void) | undefined;
  #opening: { since: number; limitMs: number } | undefined;

  /** @param timerMs no limit will be shorter: one timer of this length serves them all, and is restarted only when it has run out. */
  constructor(signal: AbortSignal, timers: Timers, timerMs: number) {
    this.#signal = signal;
    this.#timers = timers;
    this.#timerMs = timerMs;
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** The signal for the transport: aborts with the cut, and with `close`. */
  get connection(): AbortSignal {
    return this.#connection.signal;
  }

  /** From now on, `limitMs` without a byte is a stall. */
  expectByte(limitMs: number): void {
    this.#limitMs = limitMs;
    this.#since = this.#timers.elapsed();
    if (this.#cancelTimer === undefined) this.#arm(this.#timerMs);
  }

  /** A byte came. */
  onByte(): void {
    this.#since = undefined;
  }

  /** A part of the request went out: a server that is still receiving it is not silent yet. */
  readonly onSent = (): void => {
    if (this.#since !== undefined) this.#since = this.#timers.elapsed();
  };

  /** The call was cut before there was a connection. */
  readonly onUnsent = (): void => {
    this.isUnsent = true;
  };

  /** From now on the answer's content has to begin within `limitMs`, whatever else comes: a gateway may send pings for ever. */
  limitOpening(limitMs: number): void {
    this.#opening = { since: this.#timers.elapsed(), limitMs };
  }

  /** The answer has begun: hidden thinking produces nothing but pings, so the limit ends here. */
  endOpening(): void {
    this.#opening = undefined;
  }

  /** Bytes came that were no content. Throws `CutError` if the time for content is over. */
  checkOpening(): void {
    if (this.#opening === undefined) return;
    const { since, limitMs } = this.#opening;
    if (this.#timers.elapsed() - since >= limitMs) this.#cut({ kind: "stalled", afterMs: limitMs });
    this.check();
  }

  /** Throws `CutError` if the cut has already come: nothing new may begin. */
  check(): void {
    if (this.cause !== undefined) throw new CutError();
  }

  /** Settles with `work`, or rejects with `CutError`. One wait at a time. */
  wait<T>(work: Promise<T>): Promise<T> {
    return this.waitAndMap(work, (value) => value);
  }

  /** Like `wait`, but settles with the result of `take`, or rejects with what it throws. */
  waitAndMap<T, R>(work: Promise<T>, take: (value: T) => R | Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      work.then((value) => {
        this.#reject = undefined;
        // The wait has already ended: nobody would receive the value.
        if (this.#isClosed) return reject(new CutError());
        try {
          resolve(take(value));
        } catch (error) {
          reject(error as Error);
        }
      }, reject);
      // Creating `work` may itself have caused the cut.
      if (this.#isClosed) reject(new CutError());
    });
  }

  /** Drops the timer and the listener: for a connection that has delivered everything. Idempotent. */
  release(): void {
    this.#isClosed = true;
    this.#disarm();
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  /** Like `release`, but also closes the connection and ends the current wait. Idempotent. */
  close(): void {
    this.release();
    this.#connection.abort(callOverError);
    // Only if somebody waits: an error is expensive to create, and every call ends here.
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
