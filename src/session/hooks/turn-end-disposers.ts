/** Releases what tools hold for a turn (a browser, a lock on a screen) at its end: once, in the order of registration. */
import { errorText } from "../../lib/error-text.ts";
import { withTimeLimit } from "../../lib/with-time-limit.ts";
import type { ClockPort } from "../../loop/ports.ts";

const disposerLimitMs = 5_000;
const maxRegistered = 100;

export class TurnEndDisposers {
  readonly #clock: ClockPort;
  readonly #debug: (line: string) => void;
  readonly #registered = new Map<string, () => unknown>();

  constructor(clock: ClockPort, debug: (line: string) => void) {
    this.#clock = clock;
    this.#debug = debug;
  }

  /** The last registration under a name counts. Throws what a tool should be told: no name, no function, too many. */
  register(name: string, dispose: () => unknown): void {
    if (typeof name !== "string" || name === "" || typeof dispose !== "function")
      throw new TypeError("registerTurnEnd takes a name and a function.");
    this.#registered.delete(name);
    if (this.#registered.size >= maxRegistered)
      throw new Error("Too many disposers are registered for this turn already.");
    this.#registered.set(name, dispose);
  }

  /** Null if nothing is held. Failures and timeouts go to the debug log. */
  release(): Promise<void> | null {
    return this.#registered.size === 0 ? null : this.#releaseAll();
  }

  async #releaseAll(): Promise<void> {
    const held = [...this.#registered];
    this.#registered.clear();
    for (const [name, dispose] of held) {
      try {
        const ended = await withTimeLimit(
          this.#clock,
          disposerLimitMs,
          Promise.resolve(dispose()).then(() => true),
        );
        if (ended === null) this.#debug(`turn_end ${name} was not released within ${disposerLimitMs / 1_000} s`);
      } catch (error) {
        this.#debug(`turn_end ${name} failed: ${errorText(error)}`);
      }
    }
  }
}
