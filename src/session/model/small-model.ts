/** Short questions to the small model, about data it is given: admitted only where the budget can spare them. */
import type { Message } from "../../protocol/message.ts";
import { askOnce, type Asking } from "./one-question.ts";

/** `modelId`: of the small model. */
export interface SmallModelOptions extends Asking {
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
    const { name, instruction, debug, ...question } = this.#options;
    const said = { key: `${name}.${++this.#count}`, system: [{ text: instruction }], text, messages };
    const answer = await askOnce({ ...question, ...said, spare: true }, signal);
    if (answer === null) return null;
    if (answer.outcome.ok) return answer.text;
    this.#isMissing = answer.outcome.failure.kind === "model_not_found";
    debug?.(`${name} failed: ${answer.outcome.failure.kind}`);
    return null;
  }
}
