/** Owns the work that a session does beside its turns: an interrupt ends each piece, and the end of the session awaits it. */
import { onAbort } from "../../lib/on-abort.ts";
import { errorText } from "../../lib/error-text.ts";
import type { ClockPort } from "../../loop/ports.ts";

export class Background {
  readonly #clock: ClockPort;
  readonly #debug: (line: string) => void;
  readonly #hostSignal: AbortSignal | undefined;
  readonly #running = new Map<Promise<void>, AbortController>();
  #isClosed = false;

  /** `host`: aborting it ends running work. */
  constructor(clock: ClockPort, debug: (line: string) => void, host?: AbortSignal) {
    this.#clock = clock;
    this.#debug = debug;
    this.#hostSignal = host;
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Starts work that ends soon after its signal aborts. Errors go to the debug log. */
  start(name: string, work: (signal: AbortSignal) => Promise<unknown>): void {
    void this.run(name, work).catch((error: unknown) => {
      this.#debug(`${name} failed: ${errorText(error)}`);
    });
  }

  /** The same for a caller that awaits the result, and may end the work too. */
  run<T>(name: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const controller = new AbortController();
    const forward = (): void => controller.abort("user");
    const listening = [signal, this.#hostSignal].map((cause) => onAbort(cause, forward));
    if (this.#isClosed) forward();
    this.#debug(`${name} begins`);
    const working = work(controller.signal);
    const over = (): void => {
      for (const end of listening) end();
      this.#running.delete(settled);
      this.#debug(`${name} is over`);
    };
    const settled = working.then(over, over);
    this.#running.set(settled, controller);
    return working;
  }

  /** Tells all running work to end. */
  end(why: string): void {
    for (const controller of this.#running.values()) controller.abort(why);
  }

  /** Settles once nothing runs; after `limitMs`, tells remaining work to end and awaits that. */
  async drain(limitMs: number): Promise<void> {
    if (this.isIdle) return;
    const stopTimer = this.#clock.timer(limitMs, () => this.end("drained"));
    if (limitMs <= 0) this.end("drained");
    while (!this.isIdle) await Promise.all(this.#running.keys());
    stopTimer();
  }

  /** The same, and no new work can run afterwards. */
  async close(limitMs: number): Promise<void> {
    this.#isClosed = true;
    await this.drain(limitMs);
  }
}
