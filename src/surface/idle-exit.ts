/** Leaves a session that has answered and is given nothing more to do, where the user's environment says after how long. */
import type { Engine } from "./engine-port.ts";
import { startTimer, type StartTimer } from "./deadline.ts";
import { wholeNumber } from "../session/options/variables.ts";

export class IdleExit {
  readonly #start: StartTimer;
  readonly #leave: () => void;
  #hasWorked = false;
  #cancel: (() => void) | undefined;

  constructor(leave: () => void, start: StartTimer = startTimer) {
    this.#start = start;
    this.#leave = leave;
  }

  /** Nothing waits. One that has had nothing to do yet is waited for. */
  idle(engine: Pick<Engine, "background">): void {
    this.busy();
    if (!this.#hasWorked) return;
    const ms = wholeNumber(engine.background.env?.["CLAUDE_CODE_EXIT_AFTER_STOP_DELAY"], 0);
    if (ms !== undefined) this.#cancel = this.#start(ms, this.#leave);
  }

  /** A turn begins. */
  works(): void {
    this.busy();
    this.#hasWorked = true;
  }

  /** Somebody wants something of it. */
  busy(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
