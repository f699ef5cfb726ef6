/** That a server's lists are other than before, which it may say as often as it likes: they are looked at at once, and then not again for a while. */
import { untilAbort } from "../lib/until-abort.ts";
import { TimeLimit } from "./time-limit.ts";
import type { McpClock } from "./world.ts";

/** Between two looks, ms: some servers say it whenever they are asked for their lists. */
const restMs = 200;
/** For how long a call waits for what it has changed, ms. */
const mostWaitMs = 2_000;

export class ListChanges {
  readonly #clock: McpClock;
  #lookedAt = -Infinity;
  #isDue = false;
  #latest: Promise<void> | undefined;
  /** Somebody has waited in vain: each call would, of a server that answers no more such questions. */
  #isSlow = false;

  constructor(clock: McpClock) {
    this.#clock = clock;
  }

  /** One look at a time. `keep`: how it ends is theirs to tell. */
  note(look: () => Promise<void>, keep: (looking: Promise<void>) => void): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const latest: Promise<void> = Promise.all([this.#latest, this.#rest()]).then(async () => {
      this.#isDue = false;
      this.#lookedAt = this.#clock.elapsed();
      const looking = look();
      keep(looking);
      await looking.catch(() => undefined);
      this.#isSlow = false;
      if (this.#latest === latest) this.#latest = undefined;
    });
    this.#latest = latest;
  }

  #rest(): Promise<void> {
    const left = this.#lookedAt + restMs - this.#clock.elapsed();
    return left <= 0 ? Promise.resolve() : new Promise((resolve) => void this.#clock.timer(left, resolve));
  }

  /** Once what was said so far has been looked at, or that takes too long. */
  async settled(signal: AbortSignal): Promise<void> {
    if (this.#latest === undefined || this.#isSlow) return;
    const limit = new TimeLimit(this.#clock, mostWaitMs);
    await untilAbort(this.#latest, AbortSignal.any([signal, limit.signal])).catch(() => undefined);
    this.#isSlow ||= limit.signal.aborted;
    limit.stop();
  }
}
