/** While nobody types at the prompt: tells hooks after a minute, and exits the session after the time the environment sets. */
import { startTimer, type StartTimer } from "../deadline.ts";
import type { Engine } from "../engine-port.ts";
import { IdleExit } from "../idle-exit.ts";

/** The convention's delay before the Notification hooks. */
const notificationDelayMs = 60_000;

export class IdlePrompt {
  readonly #exit: IdleExit;
  #start = startTimer;
  #hasWorked = false;
  #cancel: (() => void) | undefined;

  constructor(exit: () => void) {
    this.#exit = new IdleExit(exit, (ms, late) => this.#start(ms, late));
  }

  /** The prompt is shown and idle. Before the first turn hooks are not told, because nobody waits for an answer. */
  onIdle(engine: Pick<Engine, "background">, start: StartTimer): void {
    this.onBusy();
    this.#start = start;
    this.#exit.onIdle(engine);
    if (this.#hasWorked) this.#cancel = start(notificationDelayMs, () => engine.background.notifyIdle?.());
  }

  /** A turn starts. */
  onTurnStart(): void {
    this.onBusy();
    this.#exit.onTurnStart();
    this.#hasWorked = true;
  }

  /** Somebody types or leaves. */
  onBusy(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#exit.onBusy();
  }
}
