/** Nobody types at the prompt: hooks are told of it after a minute, and the session is left where the environment says after how long. */
import { startTimer, type StartTimer } from "../deadline.ts";
import type { Engine } from "../engine-port.ts";
import { IdleExit } from "../idle-exit.ts";

/** By convention. */
const untilToldMs = 60_000;

export class AtPrompt {
  readonly #exit: IdleExit;
  #start = startTimer;
  #hasWorked = false;
  #cancel: (() => void) | undefined;

  constructor(leave: () => void) {
    this.#exit = new IdleExit(leave, (ms, late) => this.#start(ms, late));
  }

  /** The prompt is there. Before the first turn nobody waits for an answer. */
  idle(engine: Pick<Engine, "background">, start: StartTimer): void {
    this.busy();
    this.#start = start;
    this.#exit.idle(engine);
    if (this.#hasWorked) this.#cancel = start(untilToldMs, () => engine.background.waitsForUser?.());
  }

  /** A turn begins. */
  works(): void {
    this.busy();
    this.#exit.works();
    this.#hasWorked = true;
  }

  /** Somebody types, or leaves. */
  busy(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#exit.busy();
  }
}
