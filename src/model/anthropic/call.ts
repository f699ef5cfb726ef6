/** One call: the request goes out, bytes come in, and every way it can end becomes one outcome. */
import { errorText } from "../../lib/error-text.ts";
import type { ModelEvent, ModelFailure, ModelOutcome, ModelRequest } from "../../protocol/model.ts";
import type { RawStreamEvent } from "../../protocol/stream-event.ts";
import { failureFromException } from "../connection-failure.ts";
import { failureFromAnswer, failureFromErrorEvent, localFailure, type FailureContext } from "../failure.ts";
import { Assembler } from "./assemble.ts";
import { AnswerBody } from "./answer-body.ts";
import { Cut, CutError } from "./cut.ts";
import { readJsonAnswer } from "./json-answer.ts";
import { interruptionFailure } from "./interruption-failure.ts";
import { progressEvent } from "./progress-event.ts";
import { createEventReader, StreamFormatError, type EventReader } from "./sse.ts";
import type { Timers } from "./timers.ts";
import type { SendProgress, TransportResponse } from "./transport.ts";
import type { UsageDefaults } from "./usage.ts";

/** What all calls of a model have in common. */
export interface CallOptions {
  context(model: string): FailureContext;
  timers: Timers;
  firstByteMs: number;
  idleMs: number;
  /** Replaces `idleMs` until a block of the answer grows, and limits the time until the first one begins. Absent: no such limit. */
  openingMs?: number;
  /** Replaces `openingMs` as the silence allowed between bytes. */
  openingIdleMs?: number;
  /** What the request asks for. */
  usageDefaultsOf(request: ModelRequest): UsageDefaults;
  /** False: only enough raw events are yielded to show that the stream is alive. */
  rawEvents: boolean;
  /** Sends the request; the signal closes its connection. */
  send(request: ModelRequest, signal: AbortSignal, progress: SendProgress): Promise<TransportResponse>;
  debug: ((text: string) => void) | undefined;
}

/** Maximum number of bytes read of a JSON answer, and of an error's body. */
const maxJsonBytes = 64 * 1024 * 1024;
const maxErrorBytes = 1024 * 1024;
/** The body is read on for this long after `message_stop`, so that its connection can be reused. */
const drainMs = 100;

interface EventStream {
  body: AnswerBody;
  reader: EventReader;
}

export class Call {
  /** Set once, when the call is over. */
  outcome: ModelOutcome | undefined;
  readonly #options: CallOptions;
  readonly #request: ModelRequest;
  readonly #cut: Cut;
  readonly #assembler: Assembler;
  /** Only used in the debug line. */
  readonly #startedAt: number;
  #body: AnswerBody | undefined;
  /** Set if the answer is a stream of events. */
  #stream: EventStream | undefined;
  #requestId: string | undefined;
  /** The opening limit applies. */
  #isOpening: boolean;

  constructor(options: CallOptions, request: ModelRequest, signal: AbortSignal) {
    const { timers, firstByteMs, idleMs, openingMs = idleMs, openingIdleMs = openingMs } = options;
    this.#options = options;
    this.#request = request;
    this.#startedAt = options.debug === undefined ? 0 : timers.elapsed();
    this.#isOpening = options.openingMs !== undefined;
    this.#cut = new Cut(signal, timers, Math.min(firstByteMs, idleMs, openingIdleMs));
    // Used if the server names no message.
    this.#assembler = new Assembler(`msg_${request.key}`, options.usageDefaultsOf(request));
  }

  /** The call was interrupted: nothing more may be yielded. */
  get interrupted(): boolean {
    return this.#cut.cause !== undefined;
  }

  /** The next events, in order; an empty list only when the call is over. Once `outcome` is set, these were the last. Never throws. */
  async next(): Promise<ModelEvent[]> {
    try {
      const opened = this.#stream ?? (await this.#open());
      if (Array.isArray(opened)) return opened;
      const { body, reader } = opened;
      while (!this.#assembler.hasStopped) {
        const bytes = await body.next();
        const json = bytes === undefined ? reader.json() : undefined;
        if (bytes === undefined) return json === undefined ? this.#finish() : this.#wholeAnswer(json);
        const events = this.#accept(reader.read(bytes));
        if (this.#isOpening) this.#cut.checkOpening();
        // Everything has arrived, so the outcome is set now: the consumer of the last event need not wait once more for it.
        if (this.#assembler.hasStopped && this.#assembler.isSettled && body.hasEnded) this.#finish();
        if (events.length > 0 || this.outcome !== undefined) return events;
      }
      if (!body.hasEnded) await this.#drain(body);
      return this.#finish();
    } catch (error) {
      return this.#failException(error);
    }
  }

  /** Ends the call when an interruption left events unyielded. The first text among them is the partial text. */
  giveUp(unyielded: ModelEvent[]): void {
    const next = unyielded.find((event) => event.type === "block");
    const text = next?.block.type === "text" ? next.block.text : undefined;
    this.outcome = this.#failedOutcome(this.#interruption(), next === undefined ? this.#assembler.partialText : text);
  }

  close(): void {
    if (this.#body?.hasEnded === true) this.#cut.release();
    else this.#cut.close();
    this.#body?.close();
    if (this.#options.debug === undefined) return;
    const { outcome } = this;
    const end =
      outcome === undefined ? "left" : outcome.ok ? `${outcome.stopReason}` : `failed: ${outcome.failure.kind}`;
    this.#debug(`${end} after ${Math.round(this.#options.timers.elapsed() - this.#startedAt)} ms`);
  }

  /** The stream of events, or all events of an answer that is not a stream. */
  #open(): Promise<ModelEvent[] | EventStream> {
    this.#cut.check();
    this.#cut.expectByte(this.#options.firstByteMs);
    const sent = this.#options.send(this.#request, this.#cut.connection, this.#cut);
    return this.#cut.waitAndMap(sent, (answer) => this.#onResponse(answer));
  }

  #onResponse({ status, headers, body: source }: TransportResponse): EventStream | Promise<ModelEvent[] | EventStream> {
    this.#requestId = headers["request-id"] ?? headers["x-request-id"];
    this.#debug(`status ${status}, request ${this.#requestId ?? "without id"}`);
    const { idleMs, openingMs = idleMs, openingIdleMs = openingMs } = this.#options;
    if (this.#isOpening) this.#cut.limitOpening(openingMs);
    const body = (this.#body = new AnswerBody(source, this.#cut, this.#isOpening ? openingIdleMs : idleMs));
    const isOk = status >= 200 && status < 300;
    if (!isOk) return this.#failRefused(body, status, headers);
    return this.#readAnswer(body, /event-stream/i.test(headers["content-type"] ?? ""));
  }

  #startStream(body: AnswerBody): EventStream {
    return (this.#stream = { body, reader: createEventReader() });
  }

  async #failRefused(body: AnswerBody, status: number, headers: Record<string, string>): Promise<ModelEvent[]> {
    const text = await this.#errorText(body);
    return this.#fail(failureFromAnswer({ status, headers, body: text }, this.#context()));
  }

  /** The first character tells what the answer is: an answer declared as a stream may not be one, and the other way round. */
  async #readAnswer(body: AnswerBody, isDeclaredStream: boolean): Promise<ModelEvent[] | EventStream> {
    const first = await (isDeclaredStream ? body.firstCharacterOfChunk() : body.firstCharacter());
    if (first === "{") return this.#wholeAnswer(await body.text(maxJsonBytes));
    if (first === "<") return this.#failWebPage(await body.text(maxErrorBytes));
    return this.#startStream(body);
  }

  /** The error's body, or empty text if it cannot be read: the status says enough. */
  async #errorText(body: AnswerBody): Promise<string> {
    this.#cut.expectByte(this.#options.idleMs);
    try {
      return await body.text(maxErrorBytes);
    } catch (error) {
      if (this.#cut.cause?.kind === "aborted") throw error;
      return "";
    }
  }

  /** The server answered in one piece. */
  #wholeAnswer(text: string): ModelEvent[] {
    const answer = readJsonAnswer(text);
    if (answer.kind === "events") {
      const events = this.#accept(answer.events);
      return this.outcome === undefined ? [...events, ...this.#finish()] : events;
    }
    if (answer.kind === "error")
      return this.#fail(failureFromErrorEvent(answer.error, this.#context(), this.#requestId));
    return this.#failUnusable(answer.what);
  }

  #failWebPage(text: string): ModelEvent[] {
    const advice = "Check ANTHROPIC_BASE_URL, and whether a proxy or a login page stands in between.";
    const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? "";
    return this.#failUnusable("answered with a web page instead of a message", { advice, detail: title });
  }

  #accept(events: readonly RawStreamEvent[]): ModelEvent[] {
    const assembler = this.#assembler;
    if (this.#isOpening && events.some(({ type }) => type === "content_block_delta")) this.#applyIdleLimit();
    if (this.#isOpening && events.some(({ type }) => type === "content_block_start")) this.#cut.endOpening();
    const out: ModelEvent[] = [];
    for (const event of events) {
      // Not yielded raw: clients take a message with an `error` field for the end, and the loop may yet recover.
      if (event.type === "error") {
        out.push(...this.#fail(failureFromErrorEvent(event, this.#context(), this.#requestId)));
        return out;
      }
      assembler.accept(event);
      if (event.type === "message_start") out.push(this.#startEvent());
      if (this.#options.rawEvents) out.push({ type: "raw", event });
      for (const block of assembler.ready) out.push(block);
      assembler.ready.length = 0;
      if (assembler.hasStopped) break;
    }
    const extraEvent = this.#options.rawEvents ? undefined : progressEvent(events, out);
    if (extraEvent !== undefined) out.push({ type: "raw", event: extraEvent });
    return out;
  }

  /** The answer has begun to come: from here on the usual idle limit applies. */
  #applyIdleLimit(): void {
    this.#isOpening = false;
    if (this.#body !== undefined) this.#body.idleMs = this.#options.idleMs;
  }

  #startEvent(): ModelEvent {
    const { messageId, usage } = this.#assembler;
    const requestId = this.#requestId;
    return requestId === undefined
      ? { type: "start", messageId, usage }
      : { type: "start", messageId, requestId, usage };
  }

  /** The body ended without an error. */
  #finish(): ModelEvent[] {
    if (!this.#assembler.isComplete) {
      const what = this.#assembler.hasStarted
        ? "ended its answer before the message was complete"
        : "ended its answer without a message";
      return this.#fail(
        localFailure("truncated_stream", "retry", what, this.#context(), { requestId: this.#requestId }),
      );
    }
    this.outcome = this.#assembler.finish();
    return this.#assembler.ready.splice(0);
  }

  /** Reads on to the end of the body for a moment. Whatever comes, the message is complete. */
  async #drain(body: AnswerBody): Promise<void> {
    const cancel = this.#options.timers.timer(drainMs, () => this.#cut.close());
    try {
      while ((await body.next()) !== undefined) continue;
    } catch (error) {
      this.#debug(`after the message: ${errorText(error)}`);
    } finally {
      cancel();
    }
  }

  #failException(error: unknown): ModelEvent[] {
    if (error instanceof CutError) return this.#fail(this.#interruption());
    if (!(error instanceof StreamFormatError))
      return this.#fail(failureFromException(error, this.#context(), this.#requestId));
    // The events before the error are processed, and with them their usage.
    const events = this.#accept(error.events);
    return this.outcome === undefined ? [...events, ...this.#failUnusable(error.message)] : events;
  }

  #failUnusable(what: string, more: { advice?: string; detail?: string } = {}): ModelEvent[] {
    const details = { ...more, requestId: this.#requestId };
    return this.#fail(localFailure("server_error", "retry", what, this.#context(), details));
  }

  #interruption(): ModelFailure {
    const { hasStarted: isStarted } = this.#assembler;
    return interruptionFailure(this.#cut, this.#context(), { isStarted, requestId: this.#requestId });
  }

  #fail(failure: ModelFailure): ModelEvent[] {
    this.outcome = this.#failedOutcome(failure, this.#assembler.partialText);
    return [];
  }

  #failedOutcome(failure: ModelFailure, openText: string | undefined): ModelOutcome {
    const { hasStarted, usage } = this.#assembler;
    const text = failure.kind === "aborted" ? openText : undefined;
    const result = hasStarted ? { failure: { ...failure, begun: true as const }, usage } : { failure };
    return { ok: false, ...result, ...(text === undefined ? {} : { partialText: text }) };
  }

  #context(): FailureContext {
    const { model, maxTokens } = this.#request;
    return { ...this.#options.context(model), maxTokens };
  }

  #debug(text: string): void {
    this.#options.debug?.(`${this.#request.key}: ${text}`);
  }
}
