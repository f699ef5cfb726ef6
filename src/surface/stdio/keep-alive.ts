/** Writes a sign of life during silent work, so that a client with a timeout does not give up on a slow command. */
import type { StartTimer } from "../deadline.ts";

/** In ms. A silence lasts between one and two of these intervals. */
export const keepAliveMs = 15_000;

/** In ms. A client that has closed its input may be gone altogether; the first write shows it. */
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

  /** Writes soon instead of after a silence, to find out whether anybody still reads. */
  probe(): void {
    this.#stop();
    this.#stop = this.#options.start(probeMs, () => {
      if (this.#options.isBusy()) this.#options.write();
      this.begin();
    });
  }

  /** Call this when something else was written. */
  noteWrite(): void {
    this.#isSilent = false;
  }

  end(): void {
    this.#stop();
  }
}
