/**
 * What a fork shares with the conversation, so that the server finds all of it in the prompt cache: the parameters of the
 * conversation's last request and its messages. Kept by reference, so it takes no extra memory.
 */
import type { LoopConfig } from "../../loop/ports.ts";
import { lastAnswer } from "../../protocol/answers.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelPort, ModelRequest } from "../../protocol/model.ts";
import type { TurnEnd } from "../../protocol/turn-end.ts";
import { withStream } from "../../model/with-stream.ts";

/** What a fork continues from. */
export interface ForkSource {
  messages: readonly Message[];
  model: string;
  config: LoopConfig;
}

/** Requests of the conversation itself: those of a subagent, summary or fork have a different prefix. */
const conversationSources: ReadonlySet<ModelRequest["querySource"]> = new Set(["main", "sdk"]);

export class CacheSafe {
  readonly #selected: { readonly current: string };
  #last: { request: ModelRequest; selected: string } | null = null;
  #lastTurnEnd: TurnEnd | null = null;

  /** `selected`: the model of the next user turn. */
  constructor(selected: { readonly current: string }) {
    this.#selected = selected;
  }

  /** Whether the conversation has sent a request of its own. */
  get hasSentRequest(): boolean {
    return this.#last !== null;
  }

  /** The same model, with its requests observed. */
  watch(model: ModelPort): ModelPort {
    return withStream(model, (request, signal) => {
      if (conversationSources.has(request.querySource)) this.#last = { request, selected: this.#selected.current };
      return model.stream(request, signal);
    });
  }

  /** Called with an answer that is, for now, the last of its turn. */
  keep(end: TurnEnd): void {
    this.#lastTurnEnd = end;
  }

  /** The turn that ended last, including its answer; null before the first. */
  endedTurn(config: LoopConfig): ForkSource | null {
    return this.#lastTurnEnd === null ? null : this.source(this.#lastTurnEnd.messages, config);
  }

  /** `messages` with the parameters of the last request; with `config` if there was none, or another model was chosen since. */
  source(messages: readonly Message[], config: LoopConfig): ForkSource {
    const last = this.#last;
    const selected = this.#selected.current;
    const base: LoopConfig = { ...config, fallbackModels: [], querySource: "side_question", includeRawEvents: false };
    delete base.taskBudget;
    if (last === null || last.selected !== selected) return { messages, model: selected, config: base };
    const { system, thinking, effort, speed, model } = last.request;
    return { messages, model, config: { ...base, system, thinking, effort, speed } };
  }
}

/**
 * The messages that a request can be made of while others are still arriving: without a last response that is incomplete, or
 * whose calls have no results yet. A response that is followed by further work or by a user's text will not grow, so it
 * counts as complete. `lastWhole`: see `Conversation`.
 */
export function settledMessages(messages: readonly Message[], lastWhole?: string): readonly Message[] {
  const last = lastAnswer(messages);
  if (last === undefined) return messages;
  const start = messages.findIndex((message) => message.type === "assistant" && message.messageId === last.messageId);
  const rest = messages.slice(start);
  const open = new Set<string>();
  let isWhole = false;
  for (const message of rest) {
    if (message.type === "response_end" || message.type === "transition" || message.uuid === lastWhole) isWhole = true;
    if (message.type !== "assistant" && message.type !== "user") continue;
    // An API error that took the place of a later answer.
    if (message.type === "assistant" && message.messageId !== last.messageId) isWhole = true;
    for (const block of message.content) {
      if (block.type === "tool_use") open.add(block.id);
      else if (block.type === "tool_result") open.delete(block.tool_use_id);
      else if (message.type === "user") isWhole = true;
    }
  }
  return isWhole && open.size === 0 ? messages : messages.slice(0, start);
}
