/** What was paid for since the ledger was written down last: the process died in the middle of a user turn. */
import type { Usage } from "../protocol/index.ts";
import type { MessageRecord } from "./record.ts";

export interface PaidAnswer {
  model: string;
  usage: Usage;
  /** Absent: of an answer that was cut off only what it began with is known. */
  costUsd?: number;
}

export class Unbooked {
  #ended: PaidAnswer[] = [];
  readonly #begun = new Map<string, PaidAnswer>();

  take({ message, soFar }: MessageRecord): void {
    if (message.type === "assistant" && soFar !== undefined)
      this.#begun.set(message.messageId, { model: message.model, usage: soFar });
    if (message.type !== "response_end") return;
    this.#begun.delete(message.messageId);
    this.#ended.push(message);
  }

  /** All of it is in the ledger. */
  clear(): void {
    this.#ended = [];
    this.#begun.clear();
  }

  list(): PaidAnswer[] {
    return [...this.#ended, ...this.#begun.values()];
  }
}
