/** Prompts that need not wait: what touches nothing of the conversation is answered while a turn runs, with a result of its own. */
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { DrivenEngine } from "../engine-port.ts";
import type { Prompt } from "./frame.ts";

export class Asides {
  readonly #show: (message: SDKMessage) => Promise<void> | undefined;
  readonly #answers: Promise<void>[] = [];

  /** `show`: a promise means to await it before the next message. */
  constructor(show: (message: SDKMessage) => Promise<void> | undefined) {
    this.#show = show;
  }

  /** True where it is answered beside the turn that runs. */
  takes(prompt: Prompt, engine: DrivenEngine | undefined): boolean {
    const { content, problem, isMeta, isAppended, isVerbatim } = prompt;
    if (problem !== undefined || isMeta === true || isAppended === true || isVerbatim === true) return false;
    const messages = engine?.submitBeside(content);
    if (messages !== undefined) this.#answers.push(this.#answer(messages));
    return messages !== undefined;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#answers);
  }

  async #answer(messages: AsyncGenerator<SDKMessage, void>): Promise<void> {
    for await (const message of messages) await this.#show(message);
  }
}
