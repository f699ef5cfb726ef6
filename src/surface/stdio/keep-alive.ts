/** A sign of life where there is work and nothing to say: a client that gives up on silence must not give up on a slow command. */
import type { StartTimer } from "../deadline.ts";

/** Silence is between one and two of these, ms. */
export const keepAliveMs = 15_000;

/** A client that has closed its side may be gone altogether: the first write tells, ms. */
export const probeMs = 2_000;

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

  /** Whether anybody reads is found out soon, and not after a silence. */
  probe(): void {
    this.#stop();
    this.#stop = this.#options.start(probeMs, () => {
      if (this.#options.isBusy()) this.#options.write();
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
