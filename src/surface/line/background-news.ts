/** Continues the session when background agents, commands or hooks report while the prompt is empty. */
import { Doorbell, rung } from "../../lib/doorbell.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { StartTimer } from "../deadline.ts";
import type { Engine } from "../engine-port.ts";

/** Returned instead of a typed line. */
export const backgroundNewsSignal = Symbol("news");

/** Ends within this time are reported by one turn. */
const batchDelayMs = 250;
/** The most such turns in a row without a prompt: a model that restarts its command each time would never stop. */
const maxTurnsInRow = 100;

export class BackgroundNews {
  readonly #bell = new Doorbell();
  readonly #wake: () => void;
  readonly #after: StartTimer;
  #cancelSoon: (() => void) | undefined;
  /** Commands that have ended by themselves, and whose end no turn has reported. */
  readonly #ended = new Set<string>();
  /** The last turn failed or was interrupted, so nothing continues by itself. */
  #isHeld = false;
  #turnsInRow = 0;
  /** The running turn was started by background news. */
  #isBackgroundTurn = false;
  #watch: Promise<void> | null = null;
  #desk: Engine["desk"] | undefined;
  #unsubscribe = (): void => {};

  /** `wake` is called when there is news for the model, and returns whether the session continues. Each end wakes it once. */
  constructor(wake: () => boolean, after: StartTimer, notice: (text: string) => void) {
    this.#after = after;
    this.#wake = () => {
      if (this.#isHeld || this.#hasReachedLimit(notice) || !wake()) return;
      this.#ended.clear();
      this.#turnsInRow += 1;
      this.#isBackgroundTurn = true;
    };
  }

  /** Returns whether the limit is reached, and shows the notice once. */
  #hasReachedLimit(notice: (text: string) => void): boolean {
    if (this.#turnsInRow === maxTurnsInRow) {
      this.#turnsInRow += 1;
      notice(
        `Background work has made the session continue ${maxTurnsInRow} times in a row. From now on the session waits for you; your next prompt tells the model what ended.`,
      );
    }
    return this.#turnsInRow > maxTurnsInRow;
  }

  /** Call this with each message of a turn. */
  onMessage({ desk }: Pick<Engine, "desk">, message: SDKMessage): void {
    this.#subscribe(desk);
    const isTyped = message.type === "user" && message.isReplay === true;
    if (isTyped || (message.type === "result" && !this.#isBackgroundTurn)) this.#turnsInRow = 0;
    if (message.type === "result") this.#isBackgroundTurn = false;
    // The result of a session command such as /cost has no turns.
    if (message.type === "result" && message.num_turns > 0) this.#isHeld = message.is_error;
    if (message.type === "system" && message.subtype === "task_notification") this.#ended.delete(message.task_id);
  }

  #subscribe(desk: Engine["desk"]): void {
    if (desk === this.#desk) return;
    this.#unsubscribe();
    this.#ended.clear();
    this.#desk = desk;
    this.#unsubscribe = desk.onTaskEnd(({ task_id, status }) => {
      if (status === "stopped") return;
      this.#ended.add(task_id);
      this.#wakeSoon();
    });
  }

  /** Watches for news at an empty prompt. Only one watch runs at a time; unreported news waits for the next one. */
  watch(engine: Pick<Engine, "desk" | "openAgents" | "openHooks" | "whenAgentsEnd">): void {
    // Another session may have replaced the watched one without a turn.
    if (this.#desk !== undefined) this.#subscribe(engine.desk);
    if (this.#ended.size > 0) return this.#wakeSoon();
    if (this.#watch !== null || engine.openAgents + engine.openHooks === 0) return;
    this.#watch = this.#wait(engine).finally(() => {
      this.#watch = null;
    });
  }

  #wakeSoon(): void {
    this.#cancelSoon ??= this.#after(batchDelayMs, () => {
      this.#cancelSoon = undefined;
      if (this.#ended.size > 0) this.#wake();
    });
  }

  async #wait(engine: Pick<Engine, "openAgents" | "whenAgentsEnd">): Promise<void> {
    const heard = await this.#bell.wait(engine.whenAgentsEnd());
    if (heard !== rung && engine.openAgents > 0) this.#wake();
  }

  /** Stops continuing by itself until a turn succeeds. */
  hold(): void {
    this.#isHeld = true;
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    this.#cancelSoon?.();
    if (this.#watch === null) return;
    this.#bell.ring();
    await this.#watch;
  }
}
