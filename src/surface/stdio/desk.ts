/** Control requests, each with exactly one reply: at once where its answer is there, else when its work is done. */
import { errorText } from "../../lib/error-text.ts";
import { PawlError } from "../../lib/pawl-error.ts";
import { ControlError, type ControlDesk, type Handled } from "./control.ts";
import type { Loose } from "./frame.ts";
import { controlTable } from "./table.ts";

export interface RequestDeskOptions {
  write: (message: object) => void;
  desk: ControlDesk;
  /** Resolves once there is a session to ask; makes one where there is none. */
  opened: () => Promise<unknown>;
  /** Answers `initialize`; rejects with what is wrong. */
  initialize: (fields: Loose) => Promise<Loose>;
  tell: (text: string) => void;
}

/** Ids of requests are remembered, so that one sent twice is not done twice. */
const mostIds = 10_000;

export class RequestDesk {
  readonly #options: RequestDeskOptions;
  readonly #seen = new Set<string>();
  readonly #running = new Map<string, AbortController>();
  readonly #work = new Set<Promise<void>>();
  readonly #holding = new Set<Promise<void>>();

  constructor(options: RequestDeskOptions) {
    this.#options = options;
  }

  /** A request waits for its reply. */
  get isBusy(): boolean {
    return this.#work.size > 0;
  }

  /** Resolves once nothing is at work that keeps turns from beginning. */
  async free(): Promise<void> {
    while (this.#holding.size > 0) await Promise.all(this.#holding);
  }

  /** Resolves once every request has its reply. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  take(requestId: string, subtype: string, fields: Loose): void {
    if (!this.#isNew(requestId)) return;
    const entry = controlTable.find(({ name }) => name === subtype);
    if (subtype === "initialize")
      own(
        this.#work,
        this.#later(requestId, () => this.#options.initialize(fields)),
      );
    else if (entry === undefined)
      this.#fail(requestId, `pawl does not know the control request "${subtype.slice(0, 80)}"`);
    else if ("refusal" in entry) this.#fail(requestId, entry.refusal);
    else if ("now" in entry) this.#now(requestId, () => entry.now(this.#options.desk, fields));
    else {
      const work = this.#later(requestId, (signal) => this.#inSession(entry, fields, signal));
      own(this.#work, work);
      if (entry.holdsTurns === true) own(this.#holding, work);
    }
  }

  /** A request whose form is wrong. */
  refuse(requestId: string, reason: string): void {
    if (this.#isNew(requestId)) this.#fail(requestId, reason);
  }

  /** Withdrawn by the client: it is not answered any more. */
  cancel(requestId: string): void {
    this.#running.get(requestId)?.abort("withdrawn");
  }

  #isNew(requestId: string): boolean {
    if (this.#seen.has(requestId)) {
      this.#options.tell(`the control request ${requestId.slice(0, 80)} came twice; the second one was passed over`);
      return false;
    }
    this.#seen.add(requestId);
    const [oldest] = this.#seen;
    if (this.#seen.size > mostIds && oldest !== undefined) this.#seen.delete(oldest);
    return true;
  }

  /** In this very moment: nothing comes between what it does and its reply. */
  #now(requestId: string, act: () => object): void {
    try {
      this.#succeed(requestId, act());
    } catch (error) {
      this.#failWith(requestId, error);
    }
  }

  async #later(requestId: string, act: (signal: AbortSignal) => Promise<object>): Promise<void> {
    const controller = new AbortController();
    this.#running.set(requestId, controller);
    const { signal } = controller;
    try {
      const response = await act(signal);
      if (!signal.aborted) this.#succeed(requestId, response);
    } catch (error) {
      if (!signal.aborted) this.#failWith(requestId, error);
    } finally {
      this.#running.delete(requestId);
    }
  }

  async #inSession(entry: Handled, fields: Loose, signal: AbortSignal): Promise<object> {
    await this.#options.opened();
    signal.throwIfAborted();
    return await entry.run(this.#options.desk, fields, signal);
  }

  #succeed(requestId: string, response: object): void {
    this.#reply({ subtype: "success", request_id: requestId, response });
  }

  #failWith(requestId: string, error: unknown): void {
    const named = error instanceof PawlError || error instanceof ControlError ? error.code : undefined;
    const code = named === undefined ? {} : { error_code: named };
    this.#fail(requestId, errorText(error), code);
  }

  #fail(requestId: string, error: string, more: Loose = {}): void {
    this.#reply({ subtype: "error", request_id: requestId, error, ...more });
  }

  #reply(response: Loose): void {
    this.#options.write({ type: "control_response", response });
  }
}

function own(owned: Set<Promise<void>>, work: Promise<void>): void {
  const kept = work.finally(() => owned.delete(kept));
  owned.add(kept);
}
