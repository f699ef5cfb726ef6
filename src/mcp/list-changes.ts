/** Announced list changes: a server may announce them as often as it likes. The lists are read at once, and then not again for a while. */
import { pause } from "../lib/pause.ts";
import { rejectOnAbort } from "../lib/reject-on-abort.ts";
import { TimeLimit } from "./time-limit.ts";
import type { McpClock } from "./world.ts";

/** The time between two reads, ms: some servers announce changes whenever their lists are read. */
const minIntervalMs = 200;
/** How long a call waits for the changes it caused, ms. */
const maxWaitMs = 2_000;
/** After this many waits for a change that did not come, none is awaited until the server announces one: each costs its turn time. */
const maxVainWaits = 10;

export class ListChanges {
  readonly #clock: McpClock;
  #lastReadAt = -Infinity;
  #isDue = false;
  #latest: Promise<void> | undefined;
  /** Calls that wait for a change to be announced. */
  readonly #waits = new Set<AbortController>();
  #vainWaits = 0;
  /** A call has waited in vain. Every call would wait if the server no longer answers list requests. */
  #isSlow = false;

  constructor(clock: McpClock) {
    this.#clock = clock;
  }

  /** Only one read runs at a time. `keep` takes over the handling of its outcome. */
  noteChange(look: () => Promise<void>, keep: (looking: Promise<void>) => void): void {
    this.#vainWaits = 0;
    for (const wait of this.#waits) wait.abort();
    if (this.#isDue) return;
    this.#isDue = true;
    const latest: Promise<void> = Promise.all([this.#latest, this.#waitForInterval()]).then(async () => {
      this.#isDue = false;
      this.#lastReadAt = this.#clock.elapsed();
      const looking = look();
      keep(looking);
      await looking.catch(() => undefined);
      this.#isSlow = false;
      if (this.#latest === latest) this.#latest = undefined;
    });
    this.#latest = latest;
  }

  async #waitForChange(signal: AbortSignal, ms: number): Promise<void> {
    const wait = new AbortController();
    // Calls that run side by side wait in vain together.
    const counts = this.#waits.size === 0;
    this.#waits.add(wait);
    await pause(this.#clock, ms, AbortSignal.any([signal, wait.signal]));
    this.#waits.delete(wait);
    if (counts && !wait.signal.aborted && !signal.aborted) this.#vainWaits += 1;
  }

  #waitForInterval(): Promise<void> {
    const left = this.#lastReadAt + minIntervalMs - this.#clock.elapsed();
    return left <= 0 ? Promise.resolve() : pause(this.#clock, left);
  }

  /** Resolves once the changes announced so far, or within `graceMs`, were read, or after the longest wait. */
  async settled(signal: AbortSignal, graceMs = 0): Promise<void> {
    if (this.#isSlow) return;
    const mayWait = graceMs > 0 && this.#vainWaits < maxVainWaits;
    if (this.#latest === undefined && mayWait) await this.#waitForChange(signal, graceMs);
    if (this.#latest === undefined) return;
    const limit = new TimeLimit(this.#clock, maxWaitMs);
    await rejectOnAbort(this.#latest, AbortSignal.any([signal, limit.signal])).catch(() => undefined);
    this.#isSlow ||= limit.signal.aborted;
    limit.stop();
  }
}
