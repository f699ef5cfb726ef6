/** What the runs of one conversation pass on, so that no run has to search the whole conversation again. */
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
  /** Ids of every call in the conversation. A response may not use one again. */
  readonly callIds = new Set<string>();
  /** Ids of every response in the conversation. */
  readonly messageIds = new Set<string>();
  /** The longest answer of a model, tokens, learned when a server refused a longer one. */
  readonly answerLimits = new Map<string, number>();
  /** Models that are asked not to think, because their server missed thinking that the conversation does not have. */
  readonly unthinking = new Set<string>();
  /** Models that get their unsigned thinking back, because their server missed it. */
  readonly unsigned = new Set<string>();
  /** The system prompt and tools of the last request, and their digest; null before the first request. */
  readonly prefix: SentPrefix = { system: null, tools: null, digest: null };
  #count = 0;
  #last: Message | undefined;

  /** Learns the ids in new messages, or in all messages if the conversation was rewritten. */
  learn(messages: readonly Message[]): void {
    const isContinuation = this.#count > 0 && messages[this.#count - 1] === this.#last;
    for (let at = isContinuation ? this.#count : 0; at < messages.length; at++) {
      const message = messages[at]!;
      if (message.type !== "assistant") continue;
      this.messageIds.add(message.messageId);
      for (const block of message.content) if (block.type === "tool_use") this.callIds.add(block.id);
    }
    this.#count = messages.length;
    this.#last = messages.at(-1);
  }
}
