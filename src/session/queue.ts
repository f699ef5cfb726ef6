/** Input that arrives while the loop is busy: delivered at the next turn border, or left for the next user turn. */
import type { ContentBlock } from "../protocol/message.ts";
import type { QueuePort } from "../loop/ports.ts";

export interface QueuedInput {
  uuid: string;
  prompt: ContentBlock[];
}

export class InputQueue implements QueuePort {
  readonly #waiting: QueuedInput[] = [];
  readonly #taken = new Map<string, QueuedInput>();
  readonly #newsOf: () => { path: string; snippet: string }[];

  constructor(newsOf: () => { path: string; snippet: string }[]) {
    this.#newsOf = newsOf;
  }

  get size(): number {
    return this.#waiting.length;
  }

  add(input: QueuedInput): void {
    this.#waiting.push(input);
  }

  /** For the next user turn: nothing else will consume it. */
  takeOne(): QueuedInput | undefined {
    return this.#waiting.shift();
  }

  take(): QueuedInput[] {
    const inputs = this.#waiting.splice(0);
    for (const input of inputs) this.#taken.set(input.uuid, input);
    return inputs;
  }

  /** Taken but never seen by the model: it waits again, at the front. */
  settle(uuids: readonly string[], outcome: "completed" | "cancelled"): void {
    const returned: QueuedInput[] = [];
    for (const uuid of uuids) {
      const input = this.#taken.get(uuid);
      this.#taken.delete(uuid);
      if (input !== undefined && outcome === "cancelled") returned.push(input);
    }
    this.#waiting.unshift(...returned);
  }

  news(): { path: string; snippet: string }[] {
    return this.#newsOf();
  }
}
