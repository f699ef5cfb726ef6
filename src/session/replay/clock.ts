/** The clock of a replay: time passes only if nothing else can happen. */
import type { ClockPort } from "../../loop/ports.ts";

interface Timer {
  at: number;
  onFire: () => void;
}

export class ReplayClock implements ClockPort {
  #now = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  timestamp(): string {
    return new Date(this.#now).toISOString();
  }

  timer(ms: number, onFire: () => void): () => void {
    const timer = { at: this.#now + ms, onFire };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Advances the time to the next timer; returns false if there is none. */
  advance(): boolean {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.at < next.at) next = timer;
    if (next === undefined) return false;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.onFire();
    return true;
  }
}
