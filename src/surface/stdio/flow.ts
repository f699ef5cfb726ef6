/** Limits how far the input is read ahead of a slow reader or slow work, so that memory stays bounded. */
import type { OutputWriter } from "../headless/writer.ts";
import type { ClientRequests } from "./client-requests.ts";
import type { ClientInput } from "./input.ts";
import type { PromptQueue } from "./prompts.ts";

export interface FlowParts {
  writer: OutputWriter;
  prompts: PromptQueue;
  requests: ClientRequests;
  input: ClientInput;
}

/** Characters of waiting prompts. Above this, input is paused; if it must be read, prompts are refused at twice this size. */
const maxReadAhead = 64 * 1024 * 1024;
/** Characters waiting to be written. Above this, input is paused. */
const maxBacklog = 1024 * 1024;

export class Flow {
  readonly #parts: FlowParts;
  #isBehind = false;

  constructor(parts: FlowParts) {
    this.#parts = parts;
  }

  /** True if further prompts are to be refused. While the client is asked something its input must be read, but may not fill memory. */
  get mustRefusePrompts(): boolean {
    return this.#parts.prompts.size >= maxReadAhead * 2;
  }

  /** Pauses or resumes the input. Call it whenever one of the parts has changed. */
  balance(): void {
    const { writer, prompts, requests, input } = this.#parts;
    if (writer.backlog > maxBacklog) this.#waitForReader(writer);
    const isFull = prompts.size >= maxReadAhead && !requests.isWaiting;
    if (this.#isBehind || isFull) input.pause();
    else input.resume();
  }

  #waitForReader(writer: OutputWriter): void {
    const wait = this.#isBehind ? undefined : writer.blocked;
    if (wait === undefined) return;
    this.#isBehind = true;
    const caughtUp = (): void => {
      this.#isBehind = false;
      this.balance();
    };
    wait.then(caughtUp, caughtUp);
  }
}
