/** A sign of life where there is work and nothing to say: a client that gives up on silence must not give up on a slow command. */
import type { StartTimer } from "../deadline.ts";

/** Silence is between one and two of these, ms. */
export const keepAliveMs = 15_000;

export interface KeepAliveOptions {
  start: StartTimer;
  /** Whether the client waits for anything. */
  isBusy: () => boolean;
  write: () => void;
}

export class KeepAlive {
  readonly #options: KeepAliveOptions;
  #isSilent = false;
  #stop = (): void => {};

  constructor(options: KeepAliveOptions) {
    this.#options = options;
  }

  begin(): void {
    this.#stop = this.#options.start(keepAliveMs, () => {
      if (this.#isSilent && this.#options.isBusy()) this.#options.write();
      this.#isSilent = true;
      this.begin();
    });
  }

  /** Something else was written. */
  wrote(): void {
    this.#isSilent = false;
  }

  end(): void {
    this.#stop();
  }
}
