/**
 * QueryEngine: one session over many user turns, and the only long-lived mutable object. `query()` knows one user turn; this
 * knows what outlives it. Built by `createEngine` in `compose.ts`.
 */
import type { ContentBlock, Message } from "../protocol/message.ts";
import type { Effort } from "../protocol/model.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { SDKMessage, SDKResultMessage } from "../protocol/sdk.ts";
import type { CancelCause, Terminal } from "../protocol/stop.ts";
import type { ModelUsage } from "../protocol/usage.ts";
import { createCancel, type Cancel } from "../loop/cancel.ts";
import { query } from "../loop/query.ts";
import { createState } from "../loop/state.ts";
import { toSDKMessage } from "./convert.ts";
import { initMessage } from "./init.ts";
import type { SessionParts } from "./parts.ts";
import { readPrompt } from "./prompt.ts";
import { makeResult } from "./result.ts";
import { TurnLog } from "./turn.ts";

export interface SubmitOptions {
  /** The message's uuid; a client's own id for it. */
  uuid?: string;
  isMeta?: boolean;
}

export interface SessionCost {
  totalUsd: number;
  modelUsage: Record<string, ModelUsage>;
}

export class QueryEngine {
  #parts: SessionParts;
  #running: { cancel: Cancel; ended: Promise<void> } | null = null;
  #isDisposed = false;
  /** The last turn was told to end: nobody waits for what it left in the background. */
  #wasCancelled = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /**
   * Runs one user turn. Yields messages and, last, exactly one `result`; none where the process was told to terminate.
   * Leaving the generator early cancels the turn and records what it did.
   */
  async *submitMessage(prompt: string | ContentBlock[], options: SubmitOptions = {}): AsyncGenerator<SDKMessage, void> {
    if (this.#isDisposed) throw new Error("This session was closed; make a new one with createEngine().");
    if (this.#running !== null)
      throw new Error("A turn is running: await it, or use enqueue() for input that should join it.");
    const cancel = createCancel();
    let end = (): void => {};
    this.#running = { cancel, ended: new Promise((resolve) => (end = resolve)) };
    try {
      yield* this.#turn(prompt, options, cancel);
    } finally {
      this.#running = null;
      this.#wasCancelled = cancel.cause !== null;
      end();
    }
  }

  /**
   * Asks the running turn to end; it settles, records and (but for `terminate`) yields its result. `interrupt` says that the
   * user has already submitted what comes next. True where a turn was running.
   */
  interrupt(cause: CancelCause = "user"): boolean {
    return this.#running?.cancel.cancel(cause) ?? false;
  }

  /** Input that arrives while a turn runs: it joins at the next turn border, else `takeQueued` hands it out. */
  enqueue(prompt: string | ContentBlock[], uuid: string = this.#parts.ids.uuid()): void {
    this.#parts.queue.add({ uuid, prompt: readPrompt(prompt) });
  }

  /** What no turn consumed, for the next user turn; undefined where nothing waits. */
  takeQueued(): { uuid: string; prompt: ContentBlock[] } | undefined {
    return this.#parts.queue.takeOne();
  }

  getSessionId(): string {
    return this.#parts.sessionId;
  }

  getMessages(): readonly Message[] {
    return this.#parts.conversation.messages;
  }

  /** Undefined where nothing is persisted. */
  getTranscriptPath(): string | undefined {
    return this.#parts.transcriptPath;
  }

  getModel(): string {
    return this.#parts.model.current;
  }

  /** From the next user turn on. */
  setModel(name: string): void {
    this.#parts.setModel(name);
  }

  getPermissionMode(): PermissionMode {
    return this.#parts.getPermissionMode();
  }

  setPermissionMode(mode: PermissionMode): void {
    this.#parts.setPermissionMode(mode);
  }

  setEffort(effort: Effort | undefined): void {
    this.#parts.model.effort = effort;
  }

  getCost(): SessionCost {
    return { totalUsd: this.#parts.ledger.totalUsd, modelUsage: this.#parts.ledger.modelUsage };
  }

  /** Ends this session and starts an empty one under a new id, with the same options. */
  async clear(): Promise<void> {
    this.interrupt("shutdown");
    await this.#running?.ended;
    const next = await this.#parts.restart();
    await this.#parts.close(true);
    this.#parts = next;
  }

  /** Ends what runs, settles it, and lets go of everything. Safe to call twice. */
  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.interrupt("shutdown");
    await this.#running?.ended;
    await this.#parts.close(this.#wasCancelled);
  }

  /** For the last moment of the process: kills every command the session started, without waiting for anything. */
  killNow(): void {
    this.#parts.killNow();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  async *#turn(
    prompt: string | ContentBlock[],
    options: SubmitOptions,
    cancel: Cancel,
  ): AsyncGenerator<SDKMessage, void> {
    const parts = this.#parts;
    const log = new TurnLog(() => parts.clock.now());
    const startedAt = parts.clock.now();
    const failed = parts.record(readPrompt(prompt), options);
    yield initMessage(parts);
    const blocked = failed === null ? yield* parts.submitHooks(prompt, cancel) : null;
    const terminal: Terminal =
      failed !== null
        ? { reason: "model_error", error: failed }
        : blocked !== null
          ? blocked
          : yield* this.#run(parts, log, cancel);
    parts.recordFacts();
    if (cancel.cause === "terminate") return;
    yield this.#result(parts, log, terminal, startedAt);
  }

  async *#run(parts: SessionParts, log: TurnLog, cancel: Cancel): AsyncGenerator<SDKMessage, Terminal> {
    const state = createState({ messages: [...parts.conversation.messages], model: parts.model.current });
    const run = query({ state, config: parts.loopConfig(), ports: parts.ports, limits: parts.limits, cancel });
    const context = { sessionId: parts.sessionId, uuid: () => parts.ids.uuid() };
    let isOver = false;
    try {
      for (;;) {
        const step = await run.next();
        if (step.done === true) {
          isOver = true;
          return step.value;
        }
        log.observe(step.value);
        const message = toSDKMessage(step.value, context);
        if (message !== null) yield message;
      }
    } finally {
      if (!isOver) await run.return({ reason: "aborted_streaming" });
    }
  }

  #result(parts: SessionParts, log: TurnLog, terminal: Terminal, startedAt: number): SDKResultMessage {
    parts.debug(`result ${terminal.reason} turns=${log.turnCount} cost=$${parts.ledger.totalUsd.toFixed(6)}`);
    return makeResult({
      terminal,
      text: log.text,
      errors: log.errors,
      turnCount: log.turnCount,
      stopReason: log.stopReason,
      usage: log.usage,
      durationMs: parts.clock.now() - startedAt,
      durationApiMs: log.durationApiMs,
      totalCostUsd: parts.ledger.totalUsd,
      modelUsage: structuredClone(parts.ledger.modelUsage),
      permissionDenials: log.denials,
      maxTurns: parts.limits.maxTurns,
      maxBudgetUsd: parts.maxBudgetUsd,
      uuid: parts.ids.uuid(),
      sessionId: parts.sessionId,
    });
  }
}
