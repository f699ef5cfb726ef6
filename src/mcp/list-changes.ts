/** Announced list changes: a server may announce them as often as it likes. The lists are read at once, and then not again for a while. */
import { pause } from "../lib/pause.ts";
import { rejectOnAbort } from "../lib/reject-on-abort.ts";
import { TimeLimit } from "./time-limit.ts";
import type { McpClock } from "./world.ts";

/** The time between two reads, ms: some servers announce changes whenever their lists are read. */
const minIntervalMs = 200;
/** How long a call waits for the changes it caused, ms. */
const maxWaitMs = 2_000;

export class ListChanges {
  readonly #clock: McpClock;
  #lastReadAt = -Infinity;
  #isDue = false;
  #latest: Promise<void> | undefined;
  /** A call has waited in vain. Every call would wait if the server no longer answers list requests. */
  #isSlow = false;

  constructor(clock: McpClock) {
    this.#clock = clock;
  }

  /** Only one read runs at a time. `keep` takes over the handling of its outcome. */
  noteChange(look: () => Promise<void>, keep: (looking: Promise<void>) => void): void {
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

  #waitForInterval(): Promise<void> {
    const left = this.#lastReadAt + minIntervalMs - this.#clock.elapsed();
    return left <= 0 ? Promise.resolve() : pause(this.#clock, left);
  }

  /** Resolves once the changes announced so far were read, or after the longest wait. */
  async settled(signal: AbortSignal): Promise<void> {
    if (this.#latest === undefined || this.#isSlow) return;
    const limit = new TimeLimit(this.#clock, maxWaitMs);
    await rejectOnAbort(this.#latest, AbortSignal.any([signal, limit.signal])).catch(() => undefined);
    this.#isSlow ||= limit.signal.aborted;
    limit.stop();
  }
}
