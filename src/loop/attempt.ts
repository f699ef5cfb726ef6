/** One attempt at one response: yields events as they come, records each block before its tool runs, and returns the outcome. */
import type { QueryEvent } from "../protocol/event.ts";
import type { AssistantMessage, ContentBlock } from "../protocol/message.ts";
import type { ModelEvent, ModelOutcome, ModelRequest, ModelStream } from "../protocol/model.ts";
import type { Usage } from "../protocol/usage.ts";
import { rung } from "../lib/doorbell.ts";
import { withoutUndefined } from "../lib/without-undefined.ts";
import { ignoreRejection } from "../lib/fire-and-forget.ts";
import { isConsumerLeft, waitFor, type Steps } from "../lib/steps.ts";
import { announceCall } from "./announce-call.ts";
import type { LiveRun } from "./live-run.ts";
import { withCorrectedInput } from "./corrected-input.ts";
import { recordMessage, internalFailure, type Run } from "./run.ts";
import { SilenceWatch, stalledOutcome } from "./silence-watch.ts";
import { ToolBatch } from "./tool-batch.ts";
import { newReportedIds, noReportedIds, sendableCall, withReportedId, type ReportedIds } from "./sendable-call.ts";

export interface Attempt {
  outcome: ModelOutcome;
  /** The response's blocks, one message each, already recorded and yielded. */
  blocks: AssistantMessage[];
  messageId: string;
  requestId?: string;
  /** The error that says the consumer has left. It is rethrown once the call is booked. */
  leaveError?: Error;
}

interface ResponseState {
  request: ModelRequest;
  ticket: string;
  /** The step the adapter has been asked for and has not delivered yet. */
  next: Promise<Step> | null;
  /** The adapter has returned its outcome. */
  isEnded: boolean;
  leaveError?: Error;
  messageId: string;
  usage?: Usage;
  requestId?: string;
  blocks: AssistantMessage[];
  reportedIds: ReportedIds;
}

/** Makes one attempt. `continuedMessageId` is the id of the paused response that this one continues: to the API they are one message. */
export function* attempt(
  run: LiveRun,
  request: ModelRequest,
  ticket: string,
  continuedMessageId: string | null,
): Steps<QueryEvent, Attempt> {
  const messageId = continuedMessageId ?? "";
  const initialIds = run.config.includeRawEvents ? newReportedIds() : noReportedIds;
  const response: ResponseState = {
    request,
    ticket,
    next: null,
    isEnded: false,
    messageId,
    blocks: [],
    reportedIds: initialIds,
  };
  const controller = new AbortController();
  const forget = run.cancel.onCancel((cause) => {
    controller.abort(cause);
    run.doorbell.ring();
  });
  const stream = openStream(run, request, controller.signal);
  try {
    const ended = stream instanceof UnopenedStream ? stream.outcome : yield* pump(run, stream, response, controller);
    const outcome = withUsage(ended, response);
    if (!outcome.ok && outcome.failure.kind === "aborted" && outcome.partialText !== undefined)
      yield* keepPartialText(run, response, outcome.partialText);
    const { requestId, blocks, leaveError } = response;
    return { outcome, blocks, messageId: response.messageId, ...withoutUndefined({ requestId, leaveError }) };
  } finally {
    forget();
    if (!response.isEnded) {
      controller.abort("closed");
      if (!(stream instanceof UnopenedStream)) stream.return(undefined as never).catch(() => undefined);
    }
  }
}

/** An abandoned adapter reports no usage, but the usage reported at the start of the answer is on the bill. */
function withUsage(outcome: ModelOutcome, { usage }: ResponseState): ModelOutcome {
  return outcome.ok || outcome.usage !== undefined || usage === undefined ? outcome : { ...outcome, usage };
}

type Step = IteratorResult<ModelEvent, ModelOutcome>;

/**
 * Returns the stream itself, not wrapped in an object with an `ok` field. An object literal that lives as long as a pending call is
 * eventually allocated by V8 where only a full collection frees it, and it retains everything that hangs on the call.
 */
function openStream(run: Run, request: ModelRequest, signal: AbortSignal): ModelStream | UnopenedStream {
  try {
    return run.ports.model.stream(request, signal);
  } catch (error) {
    const failure = { ...internalFailure("The model adapter", error), recovery: "none" as const, neverSent: true };
    return new UnopenedStream({ ok: false, failure });
  }
}

class UnopenedStream {
  readonly outcome: ModelOutcome;

  constructor(outcome: ModelOutcome) {
    this.outcome = outcome;
  }
}

function* pump(
  run: LiveRun,
  stream: ModelStream,
  response: ResponseState,
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
      if (watch.isExpired) return stalledOutcome(run);
      if (run.cancel.cause !== null) {
        response.next ??= Promise.resolve(ready!);
        return yield* drainAborted(run, stream, response);
      }
      if (step === rung) continue;
      response.next = null;
      if (step.done === true) {
        response.isEnded = true;
        return outcomeOf(step);
      }
      hasBegun ||= isPartOfAnswer(step.value);
      isPing = !hasBegun && step.value.type === "raw" && step.value.event.type === "ping";
      if (step.value.type !== "raw") yield* handleEvent(run, response, step.value);
      else {
        announceCall(step.value.event, run.ports.tools);
        if (run.config.includeRawEvents)
          yield { type: "stream_event", event: withReportedId(run, response.reportedIds, step.value.event) };
      }
    }
  } catch (error) {
    if (!isConsumerLeft(error))
      return { ok: false, failure: { ...internalFailure("The model adapter", error), recovery: "none" } };
    response.leaveError = error;
    run.cancel.cancel("consumer");
    return yield* drainAborted(run, stream, response);
  } finally {
    watch.stop();
    // Abandoned without an answer: a later rejection must not go unhandled.
    response.next?.catch(() => undefined);
  }
}

/** Throws if there is none: an adapter that is not checked by types may forget to return it. */
function outcomeOf({ value }: IteratorReturnResult<ModelOutcome>): ModelOutcome {
  if (!isOutcome(value)) throw new Error("its stream ended without an outcome");
  return value;
}

function isOutcome(value: unknown): value is ModelOutcome {
  return typeof value === "object" && value !== null && "ok" in value;
}

/** Whether the event is part of the answer itself. */
function isPartOfAnswer(event: ModelEvent): boolean {
  return event.type === "block" || (event.type === "raw" && event.event.type.startsWith("content_block"));
}

function handleStart(run: Run, response: ResponseState, event: Extract<ModelEvent, { type: "start" }>): void {
  if (response.messageId === "") response.messageId = uniqueMessageId(run, event.messageId);
  if (event.requestId !== undefined) response.requestId = event.requestId;
  response.usage = event.usage;
  ignoreRejection(run.ports.budget.begun?.(response.ticket, event.usage, response.messageId));
}

/** Some endpoints give every response the same id; the conversation needs distinct ids to tell responses apart. */
function uniqueMessageId(run: Run, receivedId: string): string {
  const id = receivedId === "" || run.memory.messageIds.has(receivedId) ? `msg_${run.ports.ids.uuid()}` : receivedId;
  run.memory.messageIds.add(id);
  return id;
}

const abortGraceMs = 100;

/** The adapter should end soon after an abort, and may still deliver what it had. An adapter that does not end is abandoned. */
function* drainAborted(run: LiveRun, stream: ModelStream, response: ResponseState): Steps<QueryEvent, ModelOutcome> {
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
        if (!isOutcome(step.value)) return aborted;
        return step.value.ok ? step.value : { ...step.value, failure: aborted.failure };
      }
      if (step.value.type !== "raw") yield* handleEvent(run, response, step.value);
    }
    return aborted;
  } finally {
    stopTimer();
  }
}

/** Handles the start of the answer or a finished block: the block's message is recorded, then yielded. */
function* handleEvent(
  run: LiveRun,
  response: ResponseState,
  event: Exclude<ModelEvent, { type: "raw" }>,
): Steps<QueryEvent, void> {
  if (event.type === "start") return handleStart(run, response, event);
  const { block: received } = event;
  const { block, invalidInput } =
    received.type === "tool_use" ? sendableCall(run, received, event, response.reportedIds) : event;
  const message = assistantMessage(run, response, [block]);
  if (!(yield* recordMessage(run, message, response.usage))) return;
  response.blocks.push(message);
  // Before the message is yielded: from here on the batch owes the call a result, even if the consumer leaves at this event.
  if (block.type === "tool_use") {
    run.batch ??= new ToolBatch(run);
    const key = `${response.request.key.split(".")[0]!}.tool.${run.batch.size}`;
    run.batch.add(
      invalidInput === undefined
        ? { block: withCorrectedInput(block, run.ports.tools), key }
        : { block, key, invalidInput },
    );
  }
  yield withUsageSoFar(message, response);
}

function assistantMessage(run: Run, response: ResponseState, content: ContentBlock[]): AssistantMessage {
  if (response.messageId === "") response.messageId = uniqueMessageId(run, "");
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
function withUsageSoFar(message: AssistantMessage, { usage }: ResponseState): AssistantMessage {
  return usage === undefined ? message : { ...message, usageSoFar: usage };
}

function* keepPartialText(run: Run, response: ResponseState, text: string): Steps<QueryEvent, void> {
  if (text.trim() === "") return;
  const message = { ...assistantMessage(run, response, [{ type: "text", text }]), aborted: true as const };
  if (!(yield* recordMessage(run, message, response.usage))) return;
  response.blocks.push(message);
  try {
    yield withUsageSoFar(message, response);
  } catch (error) {
    if (!isConsumerLeft(error)) throw error;
    response.leaveError = error;
  }
}
