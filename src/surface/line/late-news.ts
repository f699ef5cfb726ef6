/** Agents, commands and hooks that work in the background may report while a person is at the prompt: where nothing is typed there, the session goes on. */
import { Doorbell, rung } from "../../lib/doorbell.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { StartTimer } from "../deadline.ts";
import type { Engine } from "../engine-port.ts";

/** In a line's place. */
export const news = Symbol("news");

/** What ends within it is told by one turn. */
const togetherMs = 250;
/** Turns without a word of the person's in between: a model that begins its command anew each time would go on for ever. */
const mostInRow = 100;

export class LateNews {
  readonly #bell = new Doorbell();
  readonly #wake: () => void;
  readonly #after: StartTimer;
  #cancelSoon: (() => void) | undefined;
  /** Commands that have ended by themselves, and whose end no turn has told. */
  readonly #ended = new Set<string>();
  /** The last turn failed, or was to end: nothing goes on by itself. */
  #isHeld = false;
  #inRow = 0;
  /** The turn that runs has begun by itself. */
  #isOwn = false;
  #watch: Promise<void> | null = null;
  #desk: Engine["desk"] | undefined;
  #leave = (): void => {};

  /** `wake` is called once there is something to tell the model, and says whether the session goes on with it. Each end is a reason for that once. */
  constructor(wake: () => boolean, after: StartTimer, notice: (text: string) => void) {
    this.#after = after;
    this.#wake = () => {
      if (this.#isHeld || this.#isEnough(notice) || !wake()) return;
      this.#ended.clear();
      this.#inRow += 1;
      this.#isOwn = true;
    };
  }

  /** Told once. */
  #isEnough(notice: (text: string) => void): boolean {
    if (this.#inRow === mostInRow) {
      this.#inRow += 1;
      notice(
        `What runs in the background has had the session go on ${mostInRow} times in a row. From now on it waits for you: your next prompt tells what ended.`,
      );
    }
    return this.#inRow > mostInRow;
  }

  /** A turn says this. */
  heard({ desk }: Pick<Engine, "desk">, message: SDKMessage): void {
    this.#attend(desk);
    const isTyped = message.type === "user" && message.isReplay === true;
    if (isTyped || (message.type === "result" && !this.#isOwn)) this.#inRow = 0;
    if (message.type === "result") this.#isOwn = false;
    // A command of the session itself, such as /cost, has no turns.
    if (message.type === "result" && message.num_turns > 0) this.#isHeld = message.is_error;
    if (message.type === "system" && message.subtype === "task_notification") this.#ended.delete(message.task_id);
  }

  #attend(desk: Engine["desk"]): void {
    if (desk === this.#desk) return;
    this.#leave();
    this.#ended.clear();
    this.#desk = desk;
    this.#leave = desk.onTaskEnd(({ task_id, status }) => {
      if (status === "stopped") return;
      this.#ended.add(task_id);
      this.#wakeSoon();
    });
  }

  /** At an empty prompt. One watch at a time: what nobody was told of is there for the next one. */
  watch(engine: Pick<Engine, "desk" | "openAgents" | "openHooks" | "whenAgentsEnd">): void {
    // Another session may have taken the place of the one that heard of them, without a turn.
    if (this.#desk !== undefined) this.#attend(engine.desk);
    if (this.#ended.size > 0) return this.#wakeSoon();
    if (this.#watch !== null || engine.openAgents + engine.openHooks === 0) return;
    this.#watch = this.#wait(engine).finally(() => {
      this.#watch = null;
    });
  }

  #wakeSoon(): void {
    this.#cancelSoon ??= this.#after(togetherMs, () => {
      this.#cancelSoon = undefined;
      if (this.#ended.size > 0) this.#wake();
    });
  }

  async #wait(engine: Pick<Engine, "openAgents" | "whenAgentsEnd">): Promise<void> {
    const heard = await this.#bell.wait(engine.whenAgentsEnd());
    if (heard !== rung && engine.openAgents > 0) this.#wake();
  }

  /** Until a turn ends well. */
  hold(): void {
    this.#isHeld = true;
  }

  async close(): Promise<void> {
    this.#leave();
    this.#cancelSoon?.();
    if (this.#watch === null) return;
    this.#bell.ring();
    await this.#watch;
  }
}
