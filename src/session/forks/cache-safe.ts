/**
 * What a fork shares with the conversation, so that the server finds all of it in its cache: the parameters of the conversation's
 * last request and the messages it was made of. Kept by reference: it grows with nothing.
 */
import type { LoopConfig } from "../../loop/ports.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelPort, ModelRequest } from "../../protocol/model.ts";
import type { TurnEnd } from "../../protocol/turn-end.ts";
import { withStream } from "../model/with-stream.ts";

/** What a fork goes on from. */
export interface ForkSource {
  messages: readonly Message[];
  model: string;
  config: LoopConfig;
}

/** Requests of a conversation itself: a subagent's, a summary's or a fork's has another prefix. */
const ownSources: ReadonlySet<ModelRequest["querySource"]> = new Set(["main", "sdk"]);

export class CacheSafe {
  readonly #selected: { readonly current: string };
  #last: { request: ModelRequest; selected: string } | null = null;
  #ended: TurnEnd | null = null;

  /** `selected`: what the next user turn would ask. */
  constructor(selected: { readonly current: string }) {
    this.#selected = selected;
  }

  /** A request of the conversation's own has left. */
  get hasAsked(): boolean {
    return this.#last !== null;
  }

  /** The same model, watched. */
  watch(model: ModelPort): ModelPort {
    return withStream(model, (request, signal) => {
      if (ownSources.has(request.querySource)) this.#last = { request, selected: this.#selected.current };
      return model.stream(request, signal);
    });
  }

  /** An answer was the last of its turn, for now. */
  keep(end: TurnEnd): void {
    this.#ended = end;
  }

  /** The turn that ended last, the answer with it; null before the first. */
  endedTurn(config: LoopConfig): ForkSource | null {
    return this.#ended === null ? null : this.source(this.#ended.messages, config);
  }

  /** `messages` with the last request's parameters; with `config` where there was none, or another model was chosen since. */
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
 * The messages a request can be made of while others are still coming: without a response that is not whole, or whose calls have
 * no results yet. One that the work has gone on from, or somebody has spoken after, comes no more, whatever it lacks. `lastWhole`:
 * of the conversation.
 */
export function settledPart(messages: readonly Message[], lastWhole?: string): readonly Message[] {
  const last = messages.findLast((message) => message.type === "assistant" && message.apiError === undefined);
  if (last?.type !== "assistant") return messages;
  const start = messages.findIndex((message) => message.type === "assistant" && message.messageId === last.messageId);
  const rest = messages.slice(start);
  const open = new Set<string>();
  let isWhole = false;
  for (const message of rest) {
    if (message.type === "response_end" || message.type === "transition" || message.uuid === lastWhole) isWhole = true;
    if (message.type !== "assistant" && message.type !== "user") continue;
    // An error of the API that took the place of a later answer.
    if (message.type === "assistant" && message.messageId !== last.messageId) isWhole = true;
    for (const block of message.content) {
      if (block.type === "tool_use") open.add(block.id);
      else if (block.type === "tool_result") open.delete(block.tool_use_id);
      else if (message.type === "user") isWhole = true;
    }
  }
  return isWhole && open.size === 0 ? messages : messages.slice(0, start);
}
