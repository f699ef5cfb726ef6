/** Short questions to the small model, about data it is given: admitted only where the budget can spare them. */
import { admit, call } from "../../context/model-call.ts";
import { textTokens } from "../../context/measure.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelPort, ModelRequest } from "../../protocol/model.ts";
import type { BudgetPort } from "../../protocol/money.ts";

export interface SmallModelOptions {
  model: ModelPort;
  budget: BudgetPort;
  /** Id of the small model. */
  modelId: string;
  sessionId: string;
  debug?: ((line: string) => void) | undefined;
  /** What its calls are named by. */
  name: string;
  instruction: string;
  maxTokens: number;
}

export class SmallModel {
  readonly #options: SmallModelOptions;
  #count = 0;
  /** A server without the small model is not asked again. */
  #isMissing = false;

  constructor(options: SmallModelOptions) {
    this.#options = options;
  }

  /** Null where there is no answer. `messages`: what `text` was made of. */
  async ask(text: string, messages: readonly Message[], signal: AbortSignal): Promise<string | null> {
    if (this.#isMissing) return null;
    const { model, budget, name, instruction, debug } = this.#options;
    const request = this.#request(text);
    const estimated = textTokens(instruction) + textTokens(text);
    const admission = await admit({ model, budget }, request, messages, estimated, signal, true);
    if (!admission.admitted) return null;
    const paid = { ...request, maxTokens: admission.maxTokens };
    const answer = await call({ model, budget }, paid, admission.ticket, signal);
    if (answer.outcome.ok) return answer.text;
    this.#isMissing = answer.outcome.failure.kind === "model_not_found";
    debug?.(`${name} failed: ${answer.outcome.failure.kind}`);
    return null;
  }

  #request(text: string): ModelRequest {
    const { model, modelId, sessionId, name, instruction, maxTokens } = this.#options;
    const info = model.info(modelId);
    return {
      model: modelId,
      system: [{ text: instruction }],
      tools: [],
      messages: [{ role: "user", content: [{ type: "text", text }] }],
      cacheBreakpoints: [],
      maxTokens: Math.min(maxTokens, info.maxOutputTokens),
      thinking: info.thinking === "adaptive_always" ? { type: "auto" } : { type: "disabled" },
      querySource: "side_question",
      sessionId,
      key: `${name}.${++this.#count}`,
    };
  }
}
