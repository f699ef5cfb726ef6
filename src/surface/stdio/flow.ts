/** How far ahead of a slow reader, and of slow work, the input is read: what is kept in between has a bound. */
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

/** Characters of prompts that wait: further ones are not read, and where they have to be, refused. */
const readAhead = 64 * 1024 * 1024;
/** Characters that wait to be written: further requests are not read meanwhile. */
const mostBacklog = 1024 * 1024;

export class Flow {
  readonly #parts: FlowParts;
  #isBehind = false;

  constructor(parts: FlowParts) {
    this.#parts = parts;
  }

  /** A client that is asked must be heard, and may not fill the memory meanwhile. */
  get isTooMuch(): boolean {
    return this.#parts.prompts.size >= readAhead * 2;
  }

  /** To be called where anything of it has changed. */
  balance(): void {
    const { writer, prompts, requests, input } = this.#parts;
    if (writer.backlog > mostBacklog) this.#waitForReader(writer);
    const isFull = prompts.size >= readAhead && !requests.isWaiting;
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
