// The event loop of a simulated run: everything the engine waits for is an event, and a seeded choice releases one event at a
// time. Time moves only when nothing is due.
import type { ClockPort } from "../../src/loop/ports.ts";
import type { Choices } from "./choices.ts";
import type { Trace } from "./trace.ts";

/** The process that waits. Events of a dead process never happen. */
export interface Owner {
  readonly name: string;
  readonly isDead: boolean;
}

interface Event {
  at: number;
  label: string;
  owner: Owner;
  /** Set by the engine through its clock, not by the simulated world. */
  isTimer: boolean;
  run: () => void;
}

export type Ending = "done" | "nothing can happen" | "too many events";

const startTime = Date.UTC(2026, 0, 5, 9);

/** Saved before the leak traps replace it. */
const realSetImmediate = setImmediate;

/** Resolves once all pending microtasks have run. */
function drainMicrotasks(): Promise<void> {
  return new Promise((resolve) => {
    realSetImmediate(resolve);
  });
}

export class Scheduler {
  now = startTime;
  steps = 0;
  #events: Event[] = [];
  readonly #choices: Choices;
  readonly #trace: Trace;

  constructor(choices: Choices, trace: Trace) {
    this.#choices = choices;
    this.#trace = trace;
  }

  /** ms since the run began. */
  get elapsed(): number {
    return this.now - startTime;
  }

  /** Calls `run` in `ms`. Returns a function that cancels it. */
  schedule(ms: number, label: string, owner: Owner, run: () => void, isTimer = false): () => void {
    if (owner.isDead) return () => undefined;
    const event = { at: this.now + Math.max(0, ms), label, owner, run, isTimer };
    this.#events.push(event);
    return () => {
      this.#events = this.#events.filter((other) => other !== event);
    };
  }

  /** Resolves in `ms`, or at once when `signal` aborts. Never resolves if the owner dies meanwhile. */
  pause(ms: number, label: string, owner: Owner, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const cancel = this.schedule(ms, label, owner, end);
      signal?.addEventListener("abort", end);
    });
  }

  clockOf(owner: Owner): ClockPort {
    return {
      now: () => this.now,
      elapsed: () => this.now,
      timestamp: () => new Date(this.now).toISOString(),
      timer: (ms, onFire) => this.schedule(ms, `timer ${ms}`, owner, onFire, true),
    };
  }

  timersOf(owner: Owner): string[] {
    return this.#events.filter((event) => event.owner === owner && event.isTimer).map((event) => event.label);
  }

  dropEvents(owner: Owner): void {
    this.#events = this.#events.filter((event) => event.owner !== owner);
  }

  /** Releases events until `isDone`. */
  async runUntil(isDone: () => boolean, maxSteps: number): Promise<Ending> {
    const last = this.steps + maxSteps;
    for (;;) {
      await drainMicrotasks();
      if (isDone()) return "done";
      if (this.steps >= last) return "too many events";
      if (!this.#releaseOne()) return "nothing can happen";
    }
  }

  #releaseOne(): boolean {
    let next = Infinity;
    for (const event of this.#events) next = Math.min(next, event.at);
    if (next === Infinity) return false;
    this.now = Math.max(this.now, next);
    const ready = this.#events.filter((event) => event.at <= this.now);
    const chosen = ready[ready.length === 1 ? 0 : this.#choices.below(ready.length)]!;
    this.#events.splice(this.#events.indexOf(chosen), 1);
    this.steps++;
    this.#trace.add(`${this.elapsed} ${chosen.owner.name} ${chosen.label}`);
    chosen.run();
    return true;
  }
}
