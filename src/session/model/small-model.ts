/** Short questions to the small model about given data, asked only if the budget can spare them. */
import type { Message } from "../../protocol/message.ts";
import { askModelOnce, type QuestionContext } from "./one-question.ts";

/** `modelId`: the small model's. */
export interface SmallModelOptions extends QuestionContext {
  debug?: ((line: string) => void) | undefined;
  /** The prefix of its calls' keys. */
  name: string;
  instruction: string;
  maxTokens: number;
}

export class SmallModel {
  readonly #options: SmallModelOptions;
  #count = 0;
  /** Whether the server lacks the small model; it is then not asked again. */
  #isMissing = false;

  constructor(options: SmallModelOptions) {
    this.#options = options;
  }

  /** Returns null if there is no answer. `messages`: the messages from which `text` was made. */
  async ask(text: string, messages: readonly Message[], signal: AbortSignal): Promise<string | null> {
    if (this.#isMissing) return null;
    const { name, instruction, debug, ...question } = this.#options;
    const request = { key: `${name}.${++this.#count}`, system: [{ text: instruction }], text, messages };
    const answer = await askModelOnce({ ...question, ...request, spare: true }, signal);
    if (answer === null) return null;
    if (answer.outcome.ok) return answer.text;
    this.#isMissing = answer.outcome.failure.kind === "model_not_found";
    debug?.(`${name} failed: ${answer.outcome.failure.kind}`);
    return null;
  }
}
