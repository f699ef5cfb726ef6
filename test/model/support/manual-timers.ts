// A clock that moves only when told to.
import type { Timers } from "../../../src/model/index.ts";

export interface ManualTimers extends Timers {
  /** Moves the clock, running what falls due in order. Lets promises settle after each. */
  advance(ms: number): Promise<void>;
  /** Timers waiting. */
  readonly pending: number;
  /** Timers ever set. */
  readonly armed: number;
}

export function manualTimers(begin = 1_000_000): ManualTimers {
  let now = begin;
  let armed = 0;
  const waiting = new Map<number, { due: number; action: () => void }>();
  return {
    now: () => now,
    elapsed: () => now,
    timer(ms, action) {
      const id = armed++;
      waiting.set(id, { due: now + ms, action });
      return () => {
        waiting.delete(id);
      };
    },
    async advance(ms) {
      const until = now + ms;
      for (;;) {
        const next = [...waiting].filter(([, { due }]) => due <= until).sort(([, a], [, b]) => a.due - b.due)[0];
        if (next === undefined) break;
        waiting.delete(next[0]);
        now = next[1].due;
        next[1].action();
        await settle();
      }
      now = until;
      await settle();
    },
    get pending() {
      return waiting.size;
    },
    get armed() {
      return armed;
    },
  };
}

/** Gives every promise that can go on the time to do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
