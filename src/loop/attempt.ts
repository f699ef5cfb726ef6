/** One attempt at one response: yields events as they come, records each block before its tool runs, and returns the outcome. */
import type { QueryEvent } from "../protocol/event.ts";
import type { AssistantMessage, ContentBlock } from "../protocol/message.ts";
import type { ModelEvent, ModelOutcome, ModelRequest, ModelStream } from "../protocol/model.ts";
import type { Usage } from "../protocol/usage.ts";
import { rung } from "../lib/doorbell.ts";
import { present } from "../lib/present.ts";
import { atOnce } from "../lib/unheard.ts";
import { isLeft, waitFor, type Steps } from "../lib/steps.ts";
import { announce } from "./announce.ts";
import type { LiveRun } from "./live-run.ts";
import { asMeant } from "./meant-input.ts";
import { append, internalFailure, type Run } from "./run.ts";
import { ToolBatch } from "./tool-batch.ts";
import { newToldIds, noToldIds, ownCall, ownStart, type ToldIds } from "./own-call.ts";

export interface Attempt {
  outcome: ModelOutcome;
  /** The response's blocks, one message each, already recorded and yielded. */
  blocks: AssistantMessage[];
  messageId: string;
  requestId?: string;
  /** The error that says the consumer has left. It is rethrown once the call is booked. */
  left?: Error;
}

interface Response {
  request: ModelRequest;
  ticket: string;
  /** The step the adapter has been asked for and has not delivered yet. */
  next: Promise<Step> | null;
  /** The adapter has returned its outcome. */
  isEnded: boolean;
  left?: Error;
  messageId: string;
  usage?: Usage;
  requestId?: string;
  blocks: AssistantMessage[];
  toldIds: ToldIds;
}

/** Makes one attempt. `continues` is the id of the paused response that this one continues: to the API they are one message. */
export function* attempt(
  run: LiveRun,
  request: ModelRequest,
  ticket: string,
  continues: string | null,
): Steps<QueryEvent, Attempt> {
  const messageId = continues ?? "";
  const toldIds = run.config.includeRawEvents ? newToldIds() : noToldIds;
  const response: Response = { request, ticket, next: null, isEnded: false, messageId, blocks: [], toldIds };
  const controller = new AbortController();
  const forget = run.cancel.onCancel((cause) => {
    controller.abort(cause);
    run.doorbell.ring();
  });
  const stream = opened(run, request, controller.signal);
  try {
    const ended = stream instanceof NotOpened ? stream.outcome : yield* pump(run, stream, response, controller);
    const outcome = withUsage(ended, response);
    if (!outcome.ok && outcome.failure.kind === "aborted" && outcome.partialText !== undefined)
      yield* keepPartialText(run, response, outcome.partialText);
    const { requestId, blocks, left } = response;
    return { outcome, blocks, messageId: response.messageId, ...present({ requestId, left }) };
  } finally {
    forget();
    if (!response.isEnded) {
      controller.abort("closed");
      if (!(stream instanceof NotOpened)) stream.return(undefined as never).catch(() => undefined);
    }
  }
}

/** An abandoned adapter reports no usage, but the usage reported at the start of the answer is on the bill. */
function withUsage(outcome: ModelOutcome, { usage }: Response): ModelOutcome {
  return outcome.ok || outcome.usage !== undefined || usage === undefined ? outcome : { ...outcome, usage };
}

type Step = IteratorResult<ModelEvent, ModelOutcome>;

/**
 * Returns the stream itself, not wrapped in an object with an `ok` field. An object literal that lives as long as a pending call is
 * eventually allocated by V8 where only a full collection frees it, and it retains everything that hangs on the call.
 */
function opened(run: Run, request: ModelRequest, signal: AbortSignal): ModelStream | NotOpened {
  try {
    return run.ports.model.stream(request, signal);
  } catch (error) {
    const failure = { ...internalFailure("The model adapter", error), recovery: "none" as const, neverSent: true };
    return new NotOpened({ ok: false, failure });
  }
}

class NotOpened {
  readonly outcome: ModelOutcome;

  constructor(outcome: ModelOutcome) {
    this.outcome = outcome;
  }
}

function* pump(
  run: LiveRun,
  stream: ModelStream,
  response: Response,
  controller: AbortController,
): Steps<QueryEvent, ModelOutcome> {
  const watch = new SilenceWatch(run, controller);
  /** A gateway may send pings for a dead server. Once the answer has begun, pings can be all there is of thinking that is not shown. */
  let isPing = false;
  let hasBegun = false;
  try {
    for (;;) {
      if (run.batch !== null) for (const event of run.batch.takeEvents()) yield event;
      if (run.fault !== null) return { ok: false, failure: { ...run.fault, recovery: "none" } };
      const ready = response.next === null ? stream.ready?.() : undefined;
      if (ready === undefined && response.next === null) {
        watch.hasAsked ||= !isPing;
        response.next = stream.next();
      }
      watch.isWaiting = response.next !== null;
      const step: Step | typeof rung = ready ?? (yield* waitFor(run.doorbell.wait(response.next!)));
      watch.isWaiting = false;
      if (watch.isExpired) return silent(run);
      if (run.cancel.cause !== null) {
        response.next ??= Promise.resolve(ready!);
        return yield* drainAborted(run, stream, response);
      }
      if (step === rung) continue;
      response.next = null;
      if (step.done === true) {
        response.isEnded = true;
        return step.value;
      }
      hasBegun ||= begins(step.value);
      isPing = !hasBegun && step.value.type === "raw" && step.value.event.type === "ping";
      if (step.value.type !== "raw") yield* take(run, response, step.value);
      else {
        announce(step.value.event, run.ports.tools);
        if (run.config.includeRawEvents)
          yield { type: "stream_event", event: ownStart(run, response.toldIds, step.value.event) };
      }
    }
  } catch (error) {
    if (!isLeft(error))
      return { ok: false, failure: { ...internalFailure("The model adapter", error), recovery: "none" } };
    response.left = error;
    run.cancel.cancel("consumer");
    return yield* drainAborted(run, stream, response);
  } finally {
    watch.stop();
    // Abandoned without an answer: a later rejection must not go unhandled.
    response.next?.catch(() => undefined);
  }
}

/** Whether the event is part of the answer itself. */
function begins(event: ModelEvent): boolean {
  return event.type === "block" || (event.type === "raw" && event.event.type.startsWith("content_block"));
}

function takeStart(run: Run, response: Response, event: Extract<ModelEvent, { type: "start" }>): void {
  if (response.messageId === "") response.messageId = ownMessageId(run, event.messageId);
  if (event.requestId !== undefined) response.requestId = event.requestId;
  response.usage = event.usage;
  atOnce(run.ports.budget.begun?.(response.ticket, event.usage, response.messageId));
}

/** Some endpoints give every response the same id; the conversation needs distinct ids to tell responses apart. */
function ownMessageId(run: Run, given: string): string {
  const id = given === "" || run.messageIds.has(given) ? `msg_${run.ports.ids.uuid()}` : given;
  run.messageIds.add(id);
  return id;
}

const abortGraceMs = 100;

/** The adapter should end soon after an abort, and may still deliver what it had. An adapter that does not end is abandoned. */
function* drainAborted(run: LiveRun, stream: ModelStream, response: Response): Steps<QueryEvent, ModelOutcome> {
  const aborted: ModelOutcome = {
    ok: false,
    failure: { kind: "aborted", message: "The request was cancelled.", recovery: "none" },
  };
  let isOver = false;
  const stopTimer = run.ports.clock.timer(abortGraceMs, () => {
    isOver = true;
    run.doorbell.ring();
  });
  try {
    while (!isOver && run.fault === null) {
      response.next ??= stream.next();
      // An adapter may throw because its connection was aborted.
      const step = yield* waitFor(run.doorbell.wait(response.next).catch(() => null));
      if (step === null) return aborted;
      if (step === rung) continue;
      response.next = null;
      if (step.done === true) {
        response.isEnded = true;
        return step.value.ok ? step.value : { ...step.value, failure: aborted.failure };
      }
      if (step.value.type !== "raw") yield* take(run, response, step.value);
    }
    return aborted;
  } finally {
    stopTimer();
  }
}

function silent(run: Run): ModelOutcome {
  const message = `The model sent nothing for ${Math.round(run.limits.modelSilenceMs / 1000)} s, so the request was abandoned.`;
  return { ok: false, failure: { kind: "stalled", message, recovery: "retry" } };
}

/** Detects a silent model, with one timer for the whole response. Time that a slow consumer takes is not silence. */
class SilenceWatch {
  /** The model was asked for its next event since the timer was set, and the last event was not a ping. */
  hasAsked = false;
  isWaiting = false;
  isExpired = false;
  readonly #run: Run;
  readonly #controller: AbortController;
  #stop: () => void;

  constructor(run: Run, controller: AbortController) {
    this.#run = run;
    this.#controller = controller;
    this.#stop = this.#arm();
  }

  stop(): void {
    this.#stop();
  }

  #arm(): () => void {
    return this.#run.ports.clock.timer(this.#run.limits.modelSilenceMs, () => this.#onTimer());
  }

  #onTimer(): void {
    if (this.hasAsked || !this.isWaiting) {
      this.hasAsked = false;
      this.#stop = this.#arm();
      return;
    }
    this.isExpired = true;
    this.#controller.abort("silence");
    this.#run.doorbell.ring();
  }
}

/** Handles the start of the answer or a finished block: the block's message is recorded, then yielded. */
function* take(run: LiveRun, response: Response, event: Exclude<ModelEvent, { type: "raw" }>): Steps<QueryEvent, void> {
  if (event.type === "start") return takeStart(run, response, event);
  const { block: given } = event;
  const { block, invalidInput } = given.type === "tool_use" ? ownCall(run, given, event, response.toldIds) : event;
  const message = assistantMessage(run, response, [block]);
  if (!(yield* append(run, message, response.usage))) return;
  response.blocks.push(message);
  // Before the message is yielded: from here on the batch owes the call a result, even if the consumer leaves at this event.
  if (block.type === "tool_use") {
    run.batch ??= new ToolBatch(run);
    const key = `${response.request.key.split(".")[0]!}.tool.${run.batch.size}`;
    run.batch.add(
      invalidInput === undefined ? { block: asMeant(block, run.ports.tools), key } : { block, key, invalidInput },
    );
  }
  yield shown(message, response);
}

function assistantMessage(run: Run, response: Response, content: ContentBlock[]): AssistantMessage {
  if (response.messageId === "") response.messageId = ownMessageId(run, "");
  const message: AssistantMessage = {
    type: "assistant",
    messageId: response.messageId,
    model: response.request.model,
    content,
    uuid: run.ports.ids.uuid(),
    timestamp: run.ports.clock.timestamp(),
  };
  if (response.requestId !== undefined) message.requestId = response.requestId;
  return message;
}

/** Adds the usage known so far; the response's end records all of it. */
function shown(message: AssistantMessage, { usage }: Response): AssistantMessage {
  return usage === undefined ? message : { ...message, usageSoFar: usage };
}

function* keepPartialText(run: Run, response: Response, text: string): Steps<QueryEvent, void> {
  if (text.trim() === "") return;
  const message = { ...assistantMessage(run, response, [{ type: "text", text }]), aborted: true as const };
  if (!(yield* append(run, message, response.usage))) return;
  response.blocks.push(message);
  try {
    yield shown(message, response);
  } catch (error) {
    if (!isLeft(error)) throw error;
    response.left = error;
  }
}
