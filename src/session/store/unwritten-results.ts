/** Tool results that were emitted but could not be written to disk: this process still has them and records them once it can. */
import type { QueryEvent } from "../../protocol/event.ts";
import type { Failure } from "../../protocol/stop.ts";
import type { UserMessage } from "../../protocol/message.ts";
import { openToolUses } from "../../transcript/index.ts";
import type { Conversation } from "./conversation.ts";

export class UnwrittenResults {
  readonly #conversation: Conversation;
  #results: UserMessage[] = [];

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  /** For the results of a turn: after a record that could not be written, no later one is written either. */
  observe(event: QueryEvent): void {
    if (event.type === "user" && this.#conversation.isBehind && answeredCallIds(event).length > 0)
      this.#results.push(event);
  }

  /** Records results of calls without another result. One that fails again stays unless it is too large. Returns the last failure. */
  record(): Failure | null {
    if (this.#results.length === 0) return null;
    const open = new Set(openToolUses(this.#conversation.messages).map(({ use }) => use.id));
    const wanted = this.#results.filter((result) => answeredCallIds(result).some((id) => open.has(id)));
    let failure: Failure | null = null;
    this.#results = wanted.filter((result) => {
      const written = this.#conversation.append(result);
      if (written.ok || written.isTooLarge === true) return false;
      failure = written.failure;
      return true;
    });
    return failure;
  }
}

function answeredCallIds({ content }: UserMessage): string[] {
  return content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
}
