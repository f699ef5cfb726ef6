/** Continues the session when background agents, commands or hooks report while the prompt is empty. Otherwise only says what ended. */
import { Doorbell, rung } from "../../lib/doorbell.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { SDKTaskNotification } from "../../protocol/sdk-task.ts";
import type { StartTimer } from "../deadline.ts";
import type { Engine } from "../engine-port.ts";

/** Returned instead of a typed line. */
export const backgroundNewsSignal = Symbol("news");

/** Ends within this time are reported by one turn. */
const batchDelayMs = 250;
/** The most such turns in a row without a prompt: a model that restarts its command each time would never stop. */
const maxTurnsInRow = 100;

export interface BackgroundNewsOptions {
  /** Called when there is news for the model. Returns whether the session continues. Each end wakes it once. */
  wake: () => boolean;
  after: StartTimer;
  notice: (text: string) => void;
  /** Called with ends that the session does not continue with, sometimes more than once. */
  showEnd: (message: SDKTaskNotification) => void;
}

type NewsEngine = Pick<Engine, "desk" | "background">;

export class BackgroundNews {
  readonly #options: BackgroundNewsOptions;
  readonly #bell = new Doorbell();
  #cancelSoon: (() => void) | undefined;
  /** Commands that have ended by themselves, and whose end no turn has reported. */
  readonly #endedCommands = new Map<string, SDKTaskNotification>();
  /** The last turn failed or was interrupted, so nothing continues by itself. */
  #isHeld = false;
  #turnsInRow = 0;
  /** The running turn was started by background news. */
  #isBackgroundTurn = false;
  #watch: Promise<void> | null = null;
  #isAwaitingAgent = false;
  #isClosed = false;
  #engine: NewsEngine | undefined;
  #desk: Engine["desk"] | undefined;
  #unsubscribe = (): void => {};

  constructor(options: BackgroundNewsOptions) {
    this.#options = options;
  }

  /** Returns whether the session continues. */
  #wake(): boolean {
    if (this.#isHeld || this.#hasReachedLimit() || !this.#options.wake()) return false;
    this.#endedCommands.clear();
    this.#turnsInRow += 1;
    this.#isBackgroundTurn = true;
    return true;
  }

  /** Shows what has ended while a prompt is being typed, or after a failed turn. */
  #showEnds(): void {
    for (const message of this.#endedCommands.values()) this.#options.showEnd(message);
    for (const message of this.#engine?.background.agentEnds?.().notifications ?? [])
      if (message.status !== "stopped") this.#options.showEnd(message);
  }

  /** Shows the end of each agent while others still work. */
  #awaitAgent(): void {
    const { next } = this.#engine?.background.agentEnds?.() ?? {};
    if (next === undefined || this.#isAwaitingAgent) return;
    this.#isAwaitingAgent = true;
    const ended = (): void => {
      this.#isAwaitingAgent = false;
      if (this.#isClosed || this.#engine?.background.agentEnds?.().next === undefined) return;
      this.#showEnds();
      this.#awaitAgent();
    };
    next.then(ended, () => undefined);
  }

  /** Returns whether the limit is reached, and shows the notice once. */
  #hasReachedLimit(): boolean {
    if (this.#turnsInRow === maxTurnsInRow) {
      this.#turnsInRow += 1;
      this.#options.notice(
        `Background work has made the session continue ${maxTurnsInRow} times in a row. From now on the session waits for you; your next prompt tells the model what ended.`,
      );
    }
    return this.#turnsInRow > maxTurnsInRow;
  }

  /** Call this with each message of a turn. */
  onMessage(engine: NewsEngine, message: SDKMessage): void {
    this.#engine = engine;
    this.#subscribe(engine.desk);
    const isTyped = message.type === "user" && message.isReplay === true;
    if (isTyped || (message.type === "result" && !this.#isBackgroundTurn)) this.#turnsInRow = 0;
    if (message.type === "result") this.#isBackgroundTurn = false;
    // The result of a session command such as /cost has no turns.
    if (message.type === "result" && message.num_turns > 0) this.#isHeld = message.is_error;
    if (message.type === "system" && message.subtype === "task_notification")
      this.#endedCommands.delete(message.task_id);
  }

  #subscribe(desk: Engine["desk"]): void {
    if (desk === this.#desk) return;
    this.#unsubscribe();
    this.#endedCommands.clear();
    this.#desk = desk;
    this.#unsubscribe = desk.onTaskEnd((message) => {
      if (message.status === "stopped") return;
      this.#endedCommands.set(message.task_id, message);
      this.#wakeSoon();
    });
  }

  /** Watches for news at an empty prompt. Only one watch runs at a time; unreported news waits for the next one. */
  watch(engine: NewsEngine & Pick<Engine, "openAgents" | "openHooks" | "whenAgentsEnd">): void {
    this.#engine = engine;
    // Another session may have replaced the watched one without a turn.
    if (this.#desk !== undefined) this.#subscribe(engine.desk);
    this.#awaitAgent();
    if (this.#endedCommands.size > 0) return this.#wakeSoon();
    if (this.#watch !== null || engine.openAgents + engine.openHooks === 0) return;
    this.#watch = this.#wait(engine).finally(() => {
      this.#watch = null;
    });
  }

  #wakeSoon(): void {
    this.#cancelSoon ??= this.#options.after(batchDelayMs, () => {
      this.#cancelSoon = undefined;
      if (this.#endedCommands.size > 0 && !this.#wake()) this.#showEnds();
    });
  }

  async #wait(engine: Pick<Engine, "openAgents" | "whenAgentsEnd">): Promise<void> {
    const hasNews = await this.#bell.wait(engine.whenAgentsEnd());
    if (hasNews !== rung && engine.openAgents > 0 && !this.#wake()) this.#showEnds();
  }

  /** Stops continuing by itself until a turn succeeds. */
  hold(): void {
    this.#isHeld = true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#cancelSoon?.();
    if (this.#watch === null) return;
    this.#bell.ring();
    await this.#watch;
  }
}
