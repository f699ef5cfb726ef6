/**
 * The messages that the closed segments were made of. A run keeps a response's results after all its blocks, the transcript where they
 * arrived; both count as the same conversation.
 */
import type { Message } from "../protocol/message.ts";
import { isSendable } from "./segment.ts";

interface Strand {
  messages: Message[];
  /** The number of the segment that each message belongs to. */
  segments: number[];
}

export class ClosedMessages {
  readonly #assistants: Strand = { messages: [], segments: [] };
  readonly #others: Strand = { messages: [], segments: [] };
  #count = 0;

  /** Adds the next closed segment, made of these messages. */
  add(sources: readonly Message[]): void {
    for (const message of sources) {
      const strand = message.type === "assistant" ? this.#assistants : this.#others;
      strand.messages.push(message);
      strand.segments.push(this.#count);
    }
    this.#count++;
  }

  /** Returns how many of `messages` the closed segments cover; -1 if `messages` do not begin with them. */
  coveredLength(messages: readonly Message[]): number {
    const [assistants, others] = [this.#assistants, this.#others];
    let [answers, rest, at] = [0, 0, 0];
    // Only messages before the first answer form a segment without an answer.
    let segment = assistants.segments[0] === 0 ? -1 : 0;
    for (; answers < assistants.messages.length || rest < others.messages.length; at++) {
      const message = messages[at];
      if (message === undefined) return -1;
      if (!isSendable(message)) continue;
      if (message.type === "assistant") {
        if (message !== assistants.messages[answers]) return -1;
        segment = assistants.segments[answers++]!;
      } else if (message !== others.messages[rest] || others.segments[rest++] !== segment) return -1;
    }
    return this.isFollowedByResponse(messages, at) ? at : -1;
  }

  /** Whether another response follows: anything before one still belongs to the last segment. */
  isFollowedByResponse(messages: readonly Message[], from: number): boolean {
    if (this.#count === 0) return true;
    let at = from;
    while (at < messages.length && !isSendable(messages[at]!)) at++;
    const next = messages[at];
    const last = this.#assistants.messages.at(-1);
    if (next?.type !== "assistant") return false;
    return last?.type !== "assistant" || last.messageId !== next.messageId;
  }
}
