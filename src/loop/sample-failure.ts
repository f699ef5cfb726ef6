/** A response that failed: settle what was started, or take back what was shown; then retry, fall back, repair, or report. */
import type { QueryEvent } from "../protocol/event.ts";
import type { ResponseEndMessage } from "../protocol/message.ts";
import type { ModelFailure } from "../protocol/model.ts";
import { waitFor, type Steps } from "../lib/steps.ts";
import type { Attempt } from "./attempt.ts";
import { warning } from "./drafts.ts";
import type { Fact } from "./fact.ts";
import type { LiveRun } from "./live-run.ts";
import { repaired } from "./repair.ts";
import { append, mint, recorded, type Run } from "./run.ts";
import { note } from "./run-note.ts";
import { abortedFact, closeResponse, left, type Sampling } from "./sampling.ts";
import { asksForLess } from "./shorter-answer.ts";

export function* afterFailure(
  run: LiveRun,
  sampling: Sampling,
  tried: Attempt,
  failure: ModelFailure,
  end: ResponseEndMessage | null,
): Steps<QueryEvent, Fact | "again"> {
  const calls = run.batch?.size ?? 0;
  sampling.overloads = failure.overload === true ? sampling.overloads + 1 : 0;
  if (run.cancel.cause !== null) {
    yield* closeResponse(run, sampling, tried, end);
    return abortedFact(run, sampling);
  }
  note(run, { at: "failure", failure });
  if (calls > 0) {
    yield* closeResponse(run, sampling, tried, end);
    if (failure.kind === "refusal") return { kind: "failed", messages: sampling.messages, failure };
    if (wantsFallback(run, sampling, failure)) yield* switchModel(run, sampling, failure);
    return { kind: "stream_cut", ...left(sampling), calls, failure };
  }
  yield* takeBack(run, sampling, tried, end, failure);
  if (run.fault !== null) return "again";
  if (wantsFallback(run, sampling, failure)) {
    yield* switchModel(run, sampling, failure);
    return "again";
  }
  switch (failure.recovery) {
    case "overflow":
    case "media":
      learnWindow(run, sampling, failure);
      if (asksForLess(run, sampling, failure)) return "again";
      return {
        kind: "overflowed",
        ...left(sampling),
        media: failure.recovery === "media",
        failure,
        ...(failure.tokens?.actual === undefined ? {} : { actualTokens: failure.tokens.actual }),
      };
    case "thinking":
    case "summary":
    case "block":
    case "field":
      if (yield* repaired(run, sampling, failure)) return "again";
      return { kind: "failed", messages: sampling.messages, failure };
    case "output":
      if (asksForLess(run, sampling, failure)) return "again";
      return { kind: "failed", messages: sampling.messages, failure };
    case "retry":
      return yield* retryLater(run, sampling, failure);
    case "fallback":
    case "none":
      return { kind: "failed", messages: sampling.messages, failure };
    default:
      // A model in JavaScript may name none.
      failure.recovery satisfies never;
      return { kind: "failed", messages: sampling.messages, failure };
  }
}

/** What is refused without a figure is at least as large as the window, where nobody told that. Bodies have limits of their own. */
function learnWindow(run: Run, { model, estimatedTokens }: Sampling, { tokens, recovery, status }: ModelFailure): void {
  const { context, model: models } = run.ports;
  if (tokens !== undefined) return context.setWindow?.(model, tokens.maximum);
  if (recovery !== "overflow" || status === 413 || models.info(model).known) return;
  context.guessWindow?.(model, estimatedTokens);
}

/** Nothing was started: what was shown of the response is dropped, so that the same call is never told twice. */
function* takeBack(
  run: Run,
  sampling: Sampling,
  tried: Attempt,
  end: ResponseEndMessage | null,
  failure: ModelFailure,
): Steps<QueryEvent, void> {
  const targets = tried.blocks.map((block) => block.uuid);
  const reason = failure.kind === "refusal" ? "refusal" : wantsFallback(run, sampling, failure) ? "fallback" : "retry";
  const tombstone = targets.length > 0 ? mint(run, { type: "tombstone", targets, reason }) : null;
  const isWritten = tombstone !== null && (yield* append(run, tombstone));
  yield* closeResponse(run, sampling, { ...tried, blocks: [] }, end, isWritten ? tombstone : null);
}

function hasFallback(run: Run, sampling: Sampling): boolean {
  return run.config.fallbackModels[sampling.fallbacksUsed] !== undefined;
}

function wantsFallback(run: Run, sampling: Sampling, failure: ModelFailure): boolean {
  if (!hasFallback(run, sampling)) return false;
  const isLastWord = failure.overload === true && failure.recovery === "none";
  return failure.recovery === "fallback" || isLastWord || sampling.overloads >= run.limits.overloadsBeforeFallback;
}

function* switchModel(run: Run, sampling: Sampling, failure: ModelFailure): Steps<QueryEvent, void> {
  const from = sampling.model;
  const to = run.config.fallbackModels[sampling.fallbacksUsed] ?? from;
  const text = `${from} is not available (${failure.message}); going on with ${to}.`;
  sampling.model = to;
  sampling.fallbacksUsed++;
  sampling.attempt = sampling.endless = 0;
  sampling.overloads = 0;
  sampling.answerRoom = null;
  sampling.messages.push(...(yield* recorded(run, [warning("model_fallback", text, { from, to })])));
}

function* retryLater(run: Run, sampling: Sampling, failure: ModelFailure): Steps<QueryEvent, Fact | "again"> {
  const { attempt, endless } = sampling;
  const advice = run.ports.retry.advise(failure, attempt, run.ports.ids.random(), endless);
  if (!advice.retry) {
    const isWithout = failure.overload !== true || !hasFallback(run, sampling);
    if (isWithout) return { kind: "failed", messages: sampling.messages, failure: advice.failure };
    yield* switchModel(run, sampling, failure);
    return "again";
  }
  if (advice.isEndless === true) sampling.endless++;
  note(run, { at: "retry", maxRetries: advice.maxRetries });
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
  yield* waitFor(pause(run, advice.delayMs));
  return run.cancel.cause === null ? "again" : abortedFact(run, sampling);
}

/** Ends at once when the run is cancelled. */
function pause(run: Run, ms: number): Promise<void> {
  return new Promise((resolve) => {
    let forget = (): void => {};
    const stopTimer = run.ports.clock.timer(ms, () => {
      forget();
      resolve();
    });
    forget = run.cancel.onCancel(() => {
      stopTimer();
      resolve();
    });
  });
}
