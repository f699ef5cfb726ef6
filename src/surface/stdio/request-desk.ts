/** Handles control requests. Each gets exactly one reply: at once if the answer is known, else when its work is done. */
import { errorText } from "../../lib/error-text.ts";
import { PawlError } from "../../lib/pawl-error.ts";
import { PendingWork } from "../../lib/pending-work.ts";
import { ControlError, type ControlDesk, type SessionRequest } from "./control.ts";
import type { WireObject } from "./frame.ts";
import { controlTable } from "./control-table.ts";

export interface RequestDeskOptions {
  write: (message: object) => void;
  desk: ControlDesk;
  /** Resolves once there is a session, and creates it if necessary. */
  ensureSession: () => Promise<unknown>;
  /** Answers `initialize`, or rejects with what is wrong. */
  initialize: (fields: WireObject) => Promise<WireObject>;
  notify: (text: string) => void;
}

/** The number of request ids remembered, so that a request sent twice is not executed twice. */
const maxRememberedIds = 10_000;

export class RequestDesk {
  readonly #options: RequestDeskOptions;
  readonly #seenIds = new Set<string>();
  readonly #running = new Map<string, AbortController>();
  readonly #work = new PendingWork();
  readonly #holdingTurns = new PendingWork();

  constructor(options: RequestDeskOptions) {
    this.#options = options;
  }

  /** True while a request waits for its reply. */
  get isBusy(): boolean {
    return !this.#work.isEmpty;
  }

  /** Resolves once no running request keeps turns from starting. */
  whenTurnsMayStart(): Promise<void> {
    return this.#holdingTurns.settled();
  }

  /** Resolves once every request has its reply. */
  settled(): Promise<void> {
    return this.#work.settled();
  }

  take(requestId: string, subtype: string, fields: WireObject): void {
    if (!this.#isNew(requestId)) return;
    const entry = controlTable.find(({ name }) => name === subtype);
    if (subtype === "initialize") this.#work.add(this.#replyLater(requestId, () => this.#options.initialize(fields)));
    else if (entry === undefined)
      this.#fail(requestId, `pawl does not know the control request "${subtype.slice(0, 80)}"`);
    else if ("refusal" in entry) this.#fail(requestId, entry.refusal);
    else if ("now" in entry) this.#replyNow(requestId, () => entry.now(this.#options.desk, fields));
    else {
      const work = this.#replyLater(requestId, (signal) => this.#runInSession(entry, fields, signal));
      this.#work.add(work);
      if (entry.holdsTurns === true) this.#holdingTurns.add(work);
    }
  }

  /** Refuses a malformed request. */
  refuse(requestId: string, reason: string): void {
    if (this.#isNew(requestId)) this.#fail(requestId, reason);
  }

  /** Aborts a request that the client has withdrawn, which gets no reply. */
  cancel(requestId: string): void {
    this.#running.get(requestId)?.abort("withdrawn");
  }

  #isNew(requestId: string): boolean {
    if (this.#seenIds.has(requestId)) {
      this.#options.notify(`the control request ${requestId.slice(0, 80)} came twice; the second was ignored`);
      return false;
    }
    this.#seenIds.add(requestId);
    const [oldest] = this.#seenIds;
    if (this.#seenIds.size > maxRememberedIds && oldest !== undefined) this.#seenIds.delete(oldest);
    return true;
  }

  /** Acts and replies synchronously, so that nothing happens in between. */
  #replyNow(requestId: string, act: () => object): void {
    try {
      this.#succeed(requestId, act());
    } catch (error) {
      this.#failWith(requestId, error);
    }
  }

  async #replyLater(requestId: string, act: (signal: AbortSignal) => Promise<object>): Promise<void> {
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

  async #runInSession(entry: SessionRequest, fields: WireObject, signal: AbortSignal): Promise<object> {
    await this.#options.ensureSession();
    signal.throwIfAborted();
    return await entry.run(this.#options.desk, fields, signal);
  }

  #succeed(requestId: string, response: object): void {
    this.#reply({ subtype: "success", request_id: requestId, response });
  }

  #failWith(requestId: string, error: unknown): void {
    const errorCode = error instanceof PawlError || error instanceof ControlError ? error.code : undefined;
    const code = errorCode === undefined ? {} : { error_code: errorCode };
    this.#fail(requestId, errorText(error), code);
  }

  #fail(requestId: string, error: string, fields: WireObject = {}): void {
    this.#reply({ subtype: "error", request_id: requestId, error, ...fields });
  }

  #reply(response: WireObject): void {
    this.#options.write({ type: "control_response", response });
  }
}
