/** Exits a session that stays idle after a turn for as long as CLAUDE_CODE_EXIT_AFTER_STOP_DELAY says (ms). */
import type { Engine } from "./engine-port.ts";
import { startTimer, type StartTimer } from "./deadline.ts";
import { wholeNumber } from "../session/options/variables.ts";

export class IdleExit {
  readonly #start: StartTimer;
  readonly #exit: () => void;
  #hasWorked = false;
  #cancel: (() => void) | undefined;

  constructor(exit: () => void, start: StartTimer = startTimer) {
    this.#start = start;
    this.#exit = exit;
  }

  /** The session is idle. Before its first turn it never exits by itself. */
  onIdle(engine: Pick<Engine, "background">): void {
    this.onBusy();
    if (!this.#hasWorked) return;
    const ms = wholeNumber(engine.background.env?.["CLAUDE_CODE_EXIT_AFTER_STOP_DELAY"], 0);
    if (ms !== undefined) this.#cancel = this.#start(ms, this.#exit);
  }

  /** A turn starts. */
  onTurnStart(): void {
    this.onBusy();
    this.#hasWorked = true;
  }

  /** The session has something to do, so the exit is cancelled. */
  onBusy(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
