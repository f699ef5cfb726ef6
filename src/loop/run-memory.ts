/** What the runs of one conversation hand on to each other, so that none looks through all of it again. */
import type { Message } from "../protocol/message.ts";
import type { SystemBlock } from "../protocol/model.ts";
import type { ToolDefinition } from "../protocol/tool.ts";
import { createNormalizer, type Normalizer } from "./normalize.ts";

export interface SentPrefix {
  system: readonly SystemBlock[] | null;
  tools: readonly ToolDefinition[] | null;
  digest: string | null;
}

export class RunMemory {
  readonly normalize: Normalizer = createNormalizer();
  /** Ids of every call the conversation has had: a reply may not use one again. */
  readonly callIds = new Set<string>();
  /** Ids of every response it has had. */
  readonly messageIds = new Set<string>();
  /** The longest answer of a model, tokens, where a server refused a longer one. */
  readonly answerLimits = new Map<string, number>();
  /** Models that are asked without thinking: their server missed thinking that the conversation does not hold. */
  readonly unthinking = new Set<string>();
  /** Models that get back what they thought without a signature: their server missed it. */
  readonly unsigned = new Set<string>();
  /** What the last request began with, and its digest; null before the first. */
  readonly prefix: SentPrefix = { system: null, tools: null, digest: null };
  #count = 0;
  #last: Message | undefined;

  /** Learns the ids of what is new; of all of it, where it was rewritten. */
  learn(messages: readonly Message[]): void {
    const goesOn = this.#count > 0 && messages[this.#count - 1] === this.#last;
    for (let at = goesOn ? this.#count : 0; at < messages.length; at++) {
      const message = messages[at]!;
      if (message.type !== "assistant") continue;
      this.messageIds.add(message.messageId);
      for (const block of message.content) if (block.type === "tool_use") this.callIds.add(block.id);
    }
    this.#count = messages.length;
    this.#last = messages.at(-1);
  }
}
