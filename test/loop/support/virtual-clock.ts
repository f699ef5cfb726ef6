// The harness of the loop's tests: fake ports around the real loop, in one process, under a clock that moves only when
// everything is idle. This file is that clock; `harness.ts` joins the pieces.
import type { ClockPort } from "../../../src/loop/ports.ts";

interface Timer {
  at: number;
  order: number;
  isLoops: boolean;
  fire: () => void;
}

/** Thrown where something is awaited that no timer will ever end: a wait without a limit. */
class Deadlock extends Error {
  constructor() {
    super("Nothing is running, no timer is set, and the loop still waits: a wait without a limit.");
    this.name = "Deadlock";
  }
}

export class VirtualClock implements ClockPort {
  #now = 1_767_225_600_000;
  #order = 0;
  #timers: Timer[] = [];
  #stamp = { at: -1, text: "" };

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  timestamp(): string {
    if (this.#stamp.at !== this.#now) this.#stamp = { at: this.#now, text: new Date(this.#now).toISOString() };
    return this.#stamp.text;
  }

  timer(ms: number, onFire: () => void): () => void {
    return this.#add(ms, onFire, true);
  }

  /** Timers the loop has set and not stopped. Those of the fakes are not counted. */
  get pending(): number {
    return this.#timers.filter((timer) => timer.isLoops).length;
  }

  /** A sleep of a fake: ends early with `signal`, and leaves no listener on it. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        stop();
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const stop = this.#add(ms, end, false);
      signal?.addEventListener("abort", end);
    });
  }

  /** An event of the test's own, `ms` from now. */
  at(ms: number, happens: () => void): void {
    this.#add(ms, happens, false);
  }

  /** Moves to the next timer and fires it. False if there is none. */
  fireNext(): boolean {
    let next: Timer | undefined;
    for (const timer of this.#timers)
      if (next === undefined || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer;
    if (next === undefined) return false;
    this.#remove(next);
    this.#now = Math.max(this.#now, next.at);
    next.fire();
    return true;
  }

  /** Waits for `promise`, moving the clock only when nothing else can happen. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let isDone = false;
    const mark = (): void => {
      isDone = true;
    };
    promise.then(mark, mark);
    for (;;) {
      for (let tick = 0; tick < 48 && !isDone; tick++) await Promise.resolve();
      if (isDone) return promise;
      await idle();
      if (isDone) return promise;
      if (!this.fireNext()) throw new Deadlock();
    }
  }

  #add(ms: number, fire: () => void, isLoops: boolean): () => void {
    const timer: Timer = { at: this.#now + ms, order: this.#order++, isLoops, fire };
    this.#timers.push(timer);
    return () => this.#remove(timer);
  }

  #remove(timer: Timer): void {
    const at = this.#timers.indexOf(timer);
    if (at !== -1) this.#timers.splice(at, 1);
  }
}

/** Every microtask there was has run. */
export function idle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function never<T>(): Promise<T> {
  return new Promise(() => {});
}
