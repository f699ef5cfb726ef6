/** Handles a failed response: settles the calls it started or takes back what was shown, then retries, falls back, repairs or reports. */
import type { QueryEvent } from "../protocol/event.ts";
import type { ResponseEndMessage } from "../protocol/message.ts";
import type { ModelFailure } from "../protocol/model.ts";
import { pause } from "../lib/pause.ts";
import { waitFor, type Steps } from "../lib/steps.ts";
import { ignoreRejection } from "../lib/fire-and-forget.ts";
import type { Attempt } from "./attempt.ts";
import { warning } from "./drafts.ts";
import type { Fact } from "./fact.ts";
import type { LiveRun } from "./live-run.ts";
import { triesAfterSwitch, nextAttempt, type NextStep, type AttemptContext } from "./next-attempt.ts";
import type { RetryAdvice } from "./ports.ts";
import { repairHistory } from "./repair.ts";
import { recordMessage, mint, recordAndYield, type Run } from "./run.ts";
import { recordNote } from "./run-note.ts";
import { abortedFact, closeResponse, failedFact, sampledFields, type Sampling } from "./sampling.ts";
import type { State } from "./state.ts";
import { learnedAnswerLimit, learnAnswerLimit } from "./answer-limit.ts";

export function* handleFailure(
  run: LiveRun,
  sampling: Sampling,
  tried: Attempt,
  failure: ModelFailure,
  end: ResponseEndMessage | null,
): Steps<QueryEvent, Fact | "again"> {
  const calls = run.batch?.size ?? 0;
  const isCancelled = run.cancel.cause !== null;
  const next = nextAttempt(sampling.tries, failure, attemptContext(run, sampling, { calls, isCancelled }));
  sampling.tries = next.tries;
  if (!isCancelled) recordNote(run, { at: "failure", failure });
  if (isCancelled || calls > 0) yield* closeResponse(run, sampling, tried, end);
  else yield* retractResponse(run, sampling, tried, end, failure.kind === "refusal" ? "refusal" : next.go);
  if (run.fault !== null) return failedFact(sampling, run.fault);
  switch (next.go) {
    case "settle":
      if (next.onFallback) yield* switchModel(run, sampling, failure);
      return {
        kind: "stream_cut",
        ...sampledFields(sampling),
        calls,
        isTakenOver: next.onFallback,
        failure,
        overloads: sampling.tries.overloads,
      };
    case "fallback":
      yield* switchModel(run, sampling, failure);
      return "again";
    case "retry":
      return yield* retryLater(run, sampling, failure, next.ifExhausted);
    case "repair":
      return (yield* repairHistory(run, sampling, failure)) ? "again" : failedFact(sampling, failure);
    case "shorten":
      if (next.limit === undefined) learnWindow(run, sampling, failure);
      else learnAnswerLimit(run, sampling.model, next.limit, failure);
      return "again";
    case "end":
      return endFact(run, sampling, failure, next.outcome);
  }
}

function attemptContext(
  run: Run,
  sampling: Sampling,
  now: Pick<AttemptContext, "calls" | "isCancelled">,
): AttemptContext {
  const { overloadsBeforeFallback } = run.limits;
  const { model } = sampling;
  const answerLimit = learnedAnswerLimit(run, model);
  return {
    ...now,
    model,
    hasFallback: nextFallback(run, sampling) !== undefined,
    overloadsBeforeFallback,
    answerLimit,
  };
}

function endFact(run: Run, sampling: Sampling, failure: ModelFailure, as: "aborted" | "failed" | "overflowed"): Fact {
  if (as === "aborted") return abortedFact(run, sampling);
  if (as === "failed") return failedFact(sampling, failure);
  learnWindow(run, sampling, failure);
  const counted = promptTokens(failure);
  const actual = counted === undefined ? {} : { actualTokens: counted };
  return { kind: "overflowed", ...sampledFields(sampling), media: failure.recovery === "media", failure, ...actual };
}

/** Returns the server's count of the prompt, without the requested answer. */
function promptTokens({ tokens }: ModelFailure): number | undefined {
  if (tokens?.actual === undefined || tokens.isRate === true) return undefined;
  return tokens.actual - (tokens.answer ?? 0);
}

/**
 * Learns the window from a refusal. Without a figure, the window of an unknown model is assumed to be no larger than the refused request. A
 * 413 is about the body's size, so it says nothing about the window.
 */
function learnWindow(run: Run, { model, estimatedTokens }: Sampling, { tokens, recovery, status }: ModelFailure): void {
  const { context, model: models } = run.ports;
  if (tokens !== undefined) return ignoreRejection(context.setWindow?.(model, tokens.maximum, tokens.isRate));
  if (recovery !== "overflow" || status === 413 || models.info(model).known) return;
  ignoreRejection(context.guessWindow?.(model, estimatedTokens));
}

/** No call was started, so what was shown of the response is dropped: the same call is never shown twice. */
function* retractResponse(
  run: Run,
  sampling: Sampling,
  tried: Attempt,
  end: ResponseEndMessage | null,
  why: "refusal" | NextStep["go"],
): Steps<QueryEvent, void> {
  const targets = tried.blocks.map((block) => block.uuid);
  const reason = why === "refusal" || why === "fallback" ? why : "retry";
  const tombstone = targets.length > 0 ? mint(run, { type: "tombstone", targets, reason }) : null;
  const isWritten = tombstone !== null && (yield* recordMessage(run, tombstone));
  yield* closeResponse(run, sampling, { ...tried, blocks: [] }, end, isWritten ? tombstone : null);
}

/** Returns the index of the next fallback model; undefined if none is left. The user may have chosen one, which does not stand in for itself. */
function nextFallback(run: Run, { model, fallbacksUsed }: Sampling): number | undefined {
  const at = run.config.fallbackModels.findIndex((name, index) => index >= fallbacksUsed && name !== model);
  return at < 0 ? undefined : at;
}

function* switchModel(run: Run, sampling: Sampling, failure: ModelFailure): Steps<QueryEvent, void> {
  const from = sampling.model;
  const at = nextFallback(run, sampling);
  const to = at === undefined ? from : run.config.fallbackModels[at]!;
  const text = `${from} is not available (${failure.message}); continuing with ${to}.`;
  sampling.model = to;
  sampling.fallbacksUsed = at === undefined ? sampling.fallbacksUsed : at + 1;
  applyModelSettings(run, to);
  // Only the model that paused can go on inside its own answer: to another one that would be a prefilled answer, with calls it never made.
  sampling.paused = false;
  sampling.continuedMessageId = null;
  sampling.messages = [
    ...sampling.messages,
    ...(yield* recordAndYield(run, [warning("model_fallback", text, { from, to })])),
  ];
}

/** The model that failed may have been allowed more effort, or another form of thinking. */
function applyModelSettings(run: Run, model: string): void {
  const settings = run.ports.modelSettings?.(model);
  if (settings === undefined) return;
  const { thinking, effort } = settings;
  run.config = { ...run.config, thinking, effort };
  recordNote(run, { at: "fallback", model, thinking });
}

function* retryLater(
  run: Run,
  sampling: Sampling,
  failure: ModelFailure,
  fallbackOrFail: "fallback" | "failed",
): Steps<QueryEvent, Fact | "again"> {
  const { tries } = sampling;
  const advice = run.ports.retry.advise(failure, tries.attempt, run.ports.ids.random(), tries.endless);
  if (!advice.retry && fallbackOrFail === "failed")
    return failedFact(sampling, (advice.failure as ModelFailure | undefined) ?? failure);
  if (!advice.retry) {
    sampling.tries = triesAfterSwitch(tries);
    yield* switchModel(run, sampling, failure);
    return "again";
  }
  const isEndless = advice.isEndless === true;
  if (isEndless) sampling.tries = { ...tries, endless: tries.endless + 1 };
  const reportedAttempt = isEndless ? tries.attempt : tries.attempt - tries.endless;
  return (yield* pauseBeforeRetry(run, failure, reportedAttempt, advice)) ? "again" : abortedFact(run, sampling);
}

/** From this attempt on, the pause does not grow. */
const steadyPauseAttempt = 7;

/** Pauses after an answer broke off after its calls: it is not requested again, but the next request goes to the same overloaded server. */
export function* pauseAfterOverload(
  run: Run,
  { inARow, failure }: NonNullable<State["overload"]>,
): Steps<QueryEvent, boolean> {
  const random = run.ports.ids.random();
  // The next request is not a retry, so the number of retries does not limit it: if they are used up, the longest pause is used again.
  for (let attempt = Math.min(inARow, steadyPauseAttempt); attempt > 0; attempt--) {
    const advice = run.ports.retry.advise(failure, attempt, random, 0);
    if (advice.retry) return yield* pauseBeforeRetry(run, failure, attempt, advice);
  }
  return true;
}

/** Pauses before the next request. Returns false if the run was cancelled meanwhile. */
function* pauseBeforeRetry(
  run: Run,
  failure: ModelFailure,
  attempt: number,
  advice: Extract<RetryAdvice, { retry: true }>,
): Steps<QueryEvent, boolean> {
  recordNote(run, { at: "retry", maxRetries: advice.maxRetries });
  yield {
    type: "api_retry",
    attempt,
    maxRetries: advice.maxRetries,
    delayMs: advice.delayMs,
    status: failure.status ?? null,
    kind: failure.kind,
    message: failure.message,
    ...(failure.requestId === undefined ? {} : { requestId: failure.requestId }),
  };
  yield* waitFor(pause(run.ports.clock, advice.delayMs, run.cancel.signal));
  return run.cancel.cause === null;
}
