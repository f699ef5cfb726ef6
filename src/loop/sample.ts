/**
 * Second stage: one model response, with admission, the call, retries, fallback, pauses and the one repair of thinking. Yields events and
 * returns a fact. An error that a recovery may still make irrelevant is withheld here and never yielded.
 */
import { ignoreRejection } from "../lib/fire-and-forget.ts";
import type { QueryEvent } from "../protocol/event.ts";
import type { ContentBlock, Message, ResponseEndMessage } from "../protocol/message.ts";
import type { ModelOutcome, ModelRequest } from "../protocol/model.ts";
import type { Admission, AdmissionRequest } from "../protocol/money.ts";
import { settlementOf } from "../protocol/settlement.ts";
import { isThinking } from "../protocol/thinking.ts";
import { isPromise, type Steps } from "../lib/steps.ts";
import { attempt, type Attempt } from "./attempt.ts";
import { runBoundedWithEvents, unansweredReason } from "./bounded.ts";
import { cutAnswerFact, type AdmittedModelCall } from "./cut-answer.ts";
import type { Fact, FactOf } from "./fact.ts";
import type { LiveRun } from "./live-run.ts";
import { triesAfterAnswer, firstTries } from "./next-attempt.ts";
import { buildRequest, wantedOutputTokens } from "./prepare.ts";
import { mint, type Run } from "./run.ts";
import { handleFailure, pauseAfterOverload } from "./sample-failure.ts";
import { abortedFact, closeResponse, failedFact, sampledFields, type Sampling } from "./sampling.ts";
import { learnedAnswerLimit } from "./answer-limit.ts";
import type { State } from "./state.ts";
import * as texts from "./texts.ts";

/** How often a call waits for running calls to settle before it makes do with what they leave of the budget. */
const maxWaits = 1_000;

export function* sample(state: State, prepared: FactOf<"prepared">, run: LiveRun): Steps<QueryEvent, Fact> {
  const { overload } = state;
  const sampling: Sampling = {
    model: state.toolUseContext.model,
    fallbacksUsed: state.toolUseContext.fallbacksUsed,
    messages: prepared.messages,
    estimatedTokens: prepared.estimatedTokens,
    tries: firstTries(overload?.inARow ?? 0),
    outputTokens: 0,
    shownMessages: [],
    paused: false,
    continuedMessageId: null,
  };
  if (overload !== null && !(yield* pauseAfterOverload(run, overload))) return abortedFact(run, sampling);
  let request = prepared.request;
  for (;;) {
    // Once a record could not be written, nothing more is requested.
    if (run.fault !== null) return failedFact(sampling, run.fault);
    sampling.tries = { ...sampling.tries, attempt: sampling.tries.attempt + 1 };
    const admission = yield* admit(run, request, prepared.estimatedTokens, sampling.messages);
    if ("refused" in admission) return { kind: "admission_refused", messages: sampling.messages };
    if ("failed" in admission) return failedFact(sampling, { kind: "internal", message: admission.failed });
    if ("cancelled" in admission) return abortedFact(run, sampling);
    const sent = admission.maxTokens === request.maxTokens ? request : { ...request, maxTokens: admission.maxTokens };
    const { attempt: tried, end } = yield* attemptAndCharge(run, sampling, sent, admission.ticket);
    const conclusion = tried.outcome.ok
      ? yield* handleResponse(run, sampling, tried, tried.outcome, end, admission, state)
      : yield* handleFailure(run, sampling, tried, tried.outcome.failure, end);
    if (conclusion !== "again") return conclusion;
    request = yield* buildNextRequest(state, prepared, run, sampling);
  }
}

function* buildNextRequest(
  state: State,
  prepared: FactOf<"prepared">,
  run: Run,
  sampling: Sampling,
): Steps<QueryEvent, ModelRequest> {
  const next = { ...state, toolUseContext: { ...state.toolUseContext, model: sampling.model } };
  const maxTokens = Math.min(maxTokensForModel(next, prepared, run), sampling.tries.answerRoom ?? Infinity);
  const { request, messages } = yield* buildRequest(sampling.messages, next, run, maxTokens, sampling.paused);
  sampling.messages = messages;
  return request;
}

/** After a change of model, answer length and window have to be worked out again: another model may allow less, or more. */
function maxTokensForModel(state: State, { request, estimatedTokens }: FactOf<"prepared">, run: Run): number {
  const { model } = state.toolUseContext;
  const { context, model: models } = run.ports;
  if (model === request.model) return Math.min(request.maxTokens, learnedAnswerLimit(run, model));
  const info = models.info(model);
  const wanted = wantedOutputTokens(state, run, info);
  return context.fittingMaxTokens?.(info, estimatedTokens, wanted) ?? wanted;
}

function mediaTokens({ ports }: Run, modelId: string, messages: readonly Message[], isCounted?: boolean): number {
  const { contextWindow: window } = ports.model.info(modelId);
  return ports.context.mediaTokens?.(messages, { window, isCounted }) ?? 0;
}

function* admit(
  run: Run,
  request: ModelRequest,
  estimatedInputTokens: number,
  messages: readonly Message[],
): Steps<QueryEvent, AdmittedModelCall | { refused: true } | { failed: string } | { cancelled: true }> {
  const { model, budget } = run.ports;
  let counted: Promise<number | undefined> | undefined;
  const admissionRequest: AdmissionRequest = {
    model: request.model,
    requestBytes: model.measure(request).bytes,
    estimatedInputTokens,
    maxTokens: request.maxTokens,
    ...(request.speed === undefined ? {} : { speed: request.speed }),
    mediaTokens: (isCounted) => mediaTokens(run, request.model, messages, isCounted),
    mediaBytes: () => run.ports.context.mediaBytes?.(request.messages, model.info(request.model)) ?? 0,
    countTokens: async () => (counted ??= Promise.resolve(model.countTokens?.(request, run.cancel.signal))),
    patient: true,
  };
  const reserved: string[] = [];
  let isOver = false;
  /** Gives back reservations for a call that is not made, even if the admission arrives late. */
  const giveBack = (): void => {
    isOver = true;
    for (const ticket of reserved.splice(0)) ignoreRejection(budget.settle(ticket, { notBilled: true }));
  };
  const wait = { key: `${request.key}.admission`, on: "retry" as const, name: "admission", limitMs: run.limits.portMs };
  const reserve = (admission: Admission): Admission => {
    if (admission.admitted) reserved.push(admission.ticket);
    if (isOver) giveBack();
    return admission;
  };
  try {
    for (let waits = 0; ; waits++) {
      const answer = yield* runBoundedWithEvents(run, wait, () => {
        const admission = budget.admit(waits < maxWaits ? admissionRequest : { ...admissionRequest, patient: false });
        return isPromise(admission) ? admission.then(reserve) : reserve(admission);
      });
      if (run.cancel.cause !== null) return { cancelled: true };
      if (!answer.ok)
        return { failed: `The budget could not be asked (${unansweredReason(answer)}); no call was made.` };
      const admission = answer.value;
      if (admission.admitted) {
        reserved.length = 0;
        return { ...admission, requestBytes: admissionRequest.requestBytes };
      }
      const { freed } = admission;
      if (freed === undefined || waits >= maxWaits) return { refused: true };
      const limitMs = run.limits.modelSilenceMs;
      const budgetWait = { key: `${request.key}.budget`, on: "budget" as const, name: "other calls", limitMs };
      const freedAnswer = yield* runBoundedWithEvents(run, budgetWait, () => freed);
      if (run.cancel.cause !== null) return { cancelled: true };
      if (!freedAnswer.ok) waits = maxWaits - 1;
    }
  } finally {
    giveBack();
  }
}

/** Runs one attempt, books it, and closes it in the transcript, however it ends. A consumer that leaves counts as a cancellation. */
function* attemptAndCharge(
  run: LiveRun,
  sampling: Sampling,
  request: ModelRequest,
  ticket: string,
): Steps<QueryEvent, { attempt: Attempt; end: ResponseEndMessage | null }> {
  let isSettled = false;
  try {
    const tried = yield* attempt(run, request, ticket, sampling.continuedMessageId);
    isSettled = true;
    const end = settleBudget(run, sampling, request, tried, ticket);
    if (tried.leaveError === undefined) return { attempt: tried, end };
    yield* closeResponse(run, sampling, tried, end);
    throw tried.leaveError;
  } finally {
    if (!isSettled) ignoreRejection(run.ports.budget.settle(ticket, { unknown: true }));
  }
}

/** Books the call and makes the record that closes it; null if the server never began to answer. */
function settleBudget(
  run: Run,
  sampling: Sampling,
  request: ModelRequest,
  tried: Attempt,
  ticket: string,
): ResponseEndMessage | null {
  const { outcome } = tried;
  const costUsd = ignoreRejection(run.ports.budget.settle(ticket, settlementOf(outcome)));
  const { usage } = outcome;
  if (usage === undefined) return null;
  sampling.outputTokens += usage.outputTokens;
  const { messageId, requestId } = tried;
  const stopReason = outcome.ok ? outcome.stopReason : null;
  const end = mint(run, { type: "response_end", messageId, model: request.model, stopReason, usage, costUsd });
  if (requestId !== undefined) end.requestId = requestId;
  if (run.memory.prefix.digest !== null) end.prefixDigest = run.memory.prefix.digest;
  return end;
}

function* handleResponse(
  run: LiveRun,
  sampling: Sampling,
  tried: Attempt,
  outcome: Extract<ModelOutcome, { ok: true }>,
  end: ResponseEndMessage | null,
  admitted: AdmittedModelCall,
  state: State,
): Steps<QueryEvent, Fact | "again"> {
  if (outcome.stopReason === "refusal") {
    const category = outcome.stopDetails?.["category"];
    const message = texts.refusedAnswer(typeof category === "string" ? category : undefined);
    return yield* handleFailure(run, sampling, tried, { kind: "refusal", message, recovery: "none" }, end);
  }
  yield* closeResponse(run, sampling, tried, end);
  if (run.cancel.cause !== null) return abortedFact(run, sampling);
  const calls = run.batch?.size ?? 0;
  sampling.tries = triesAfterAnswer(sampling.tries);
  if (outcome.stopReason === "pause_turn" && calls === 0 && sampling.tries.pauses < run.limits.pausedTurns) {
    sampling.tries = { ...sampling.tries, pauses: sampling.tries.pauses + 1 };
    sampling.paused = !endsInThinking(tried);
    sampling.continuedMessageId = tried.messageId !== "" && sampling.paused ? tried.messageId : null;
    return "again";
  }
  const cut = calls === 0 ? cutAnswerFact(run, sampling, outcome, admitted, state) : null;
  if (cut !== null) return cut;
  const empty = calls === 0 && !sampling.shownMessages.some((message) => message.content.some(saysSomething));
  return { kind: "answered", ...sampledFields(sampling), calls, empty, stopReason: outcome.stopReason };
}

/**
 * Thinking may not be the last block of a message, so such an answer is not sent back: what follows is an answer of its own, bound to a
 * prefix without that thinking.
 */
function endsInThinking({ blocks }: Attempt): boolean {
  const last = blocks.at(-1)?.content.at(-1);
  return last !== undefined && isThinking(last);
}

function saysSomething(block: ContentBlock): boolean {
  if (block.type === "text") return block.text.trim() !== "";
  return !isThinking(block);
}
