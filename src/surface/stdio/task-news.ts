/** Commands of the background that end while no turn runs: told at once, and not again by the turn that comes. */
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { DrivenEngine } from "../engine-port.ts";

export interface TaskNewsOptions {
  /** No turn is there to tell it. */
  isQuiet: () => boolean;
  show: (message: SDKMessage) => void;
}

export class TaskNews {
  readonly #options: TaskNewsOptions;
  readonly #told = new Set<string>();
  #desk: DrivenEngine["desk"] | undefined;
  #leave = (): void => {};

  constructor(options: TaskNewsOptions) {
    this.#options = options;
  }

  /** After each turn: one that cleared the session has left another one. */
  attend({ desk }: Pick<DrivenEngine, "desk">): void {
    if (desk === this.#desk) return;
    this.#leave();
    this.#desk = desk;
    this.#leave = desk.onTaskEnd((message) => {
      if (!this.#options.isQuiet()) return;
      this.#told.add(message.task_id);
      this.#options.show(message);
    });
  }

  /** True, once, for what was told while nothing ran. */
  wasTold(message: SDKMessage): boolean {
    return message.type === "system" && message.subtype === "task_notification" && this.#told.delete(message.task_id);
  }

  end(): void {
    this.#leave();
  }
}
