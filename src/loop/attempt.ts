/** One attempt at one response: events out as they come, each block recorded before its tool runs, the outcome back. */
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
  /** The response's blocks, one message each, recorded and yielded. */
  blocks: AssistantMessage[];
  messageId: string;
  requestId?: string;
  /** What says that nobody follows any more: to be passed on once the call is booked. */
  left?: Error;
}

interface Response {
  request: ModelRequest;
  ticket: string;
  /** Asked of the adapter, and not there yet. */
  next: Promise<Step> | null;
  /** The adapter has said its last word. */
  isEnded: boolean;
  left?: Error;
  messageId: string;
  usage?: Usage;
  requestId?: string;
  blocks: AssistantMessage[];
  toldIds: ToldIds;
}

/** `continues` names the paused response that this one goes on with: to the API they are one message. */
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

/** An adapter that was given up says nothing of the bill; what the answer began with is on it. */
function withUsage(outcome: ModelOutcome, { usage }: Response): ModelOutcome {
  return outcome.ok || outcome.usage !== undefined || usage === undefined ? outcome : { ...outcome, usage };
}

type Step = IteratorResult<ModelEvent, ModelOutcome>;

/**
 * The stream as it is, and not in an object beside an `ok`: an object that is written out where it is made, and lives as long as a call
 * is waited for, V8 comes to make where only a full collection looks, and with it stays all that hangs on the call.
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
  /** A gateway may send pings for a server that is gone. Once an answer has begun they are all there is of thinking that is not shown. */
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
    // Left behind unanswered: whatever it says now, nobody asks any more.
    response.next?.catch(() => undefined);
  }
}

/** Something of the answer itself. */
function begins(event: ModelEvent): boolean {
  return event.type === "block" || (event.type === "raw" && event.event.type.startsWith("content_block"));
}

function takeStart(run: Run, response: Response, event: Extract<ModelEvent, { type: "start" }>): void {
  if (response.messageId === "") response.messageId = ownMessageId(run, event.messageId);
  if (event.requestId !== undefined) response.requestId = event.requestId;
  response.usage = event.usage;
  atOnce(run.ports.budget.begun?.(response.ticket, event.usage, response.messageId));
}

/** An endpoint may give every response the same id; the conversation tells responses apart by theirs. */
function ownMessageId(run: Run, given: string): string {
  const id = given === "" || run.messageIds.has(given) ? `msg_${run.ports.ids.uuid()}` : given;
  run.messageIds.add(id);
  return id;
}

const abortGraceMs = 100;

/** The adapter ends soon after an abort and may still hand over what it had; one that does not is left behind. */
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
      // What an abort does to its connection, it may throw.
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
  const message = `The model sent nothing for ${Math.round(run.limits.modelSilenceMs / 1000)} s and was given up.`;
  return { ok: false, failure: { kind: "stalled", message, recovery: "retry" } };
}

/** One timer for the whole response, however many events it has. A consumer that takes its time is not the model's silence. */
class SilenceWatch {
  /** The model was asked for its next event since the timer was set, and not after a ping. */
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

/** The answer begins, or has one more block: its message is recorded, and then shown. */
function* take(run: LiveRun, response: Response, event: Exclude<ModelEvent, { type: "raw" }>): Steps<QueryEvent, void> {
  if (event.type === "start") return takeStart(run, response, event);
  const { block: given } = event;
  const { block, invalidInput } = given.type === "tool_use" ? ownCall(run, given, event, response.toldIds) : event;
  const message = assistantMessage(run, response, [block]);
  if (!(yield* append(run, message, response.usage))) return;
  response.blocks.push(message);
  // Before it is shown: from here on the batch owes the call a result, also to a consumer that leaves at this event.
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

/** With what is known of its usage, which the response's end records whole. */
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
