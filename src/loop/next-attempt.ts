/**
 * Decides what follows a failed response, in one pure function: the counterpart of `decide` for requests. Only this file counts what has
 * been tried; `sample-failure.ts` carries out the decision.
 */
import type { ModelFailure } from "../protocol/model.ts";
import { minUsefulAnswerTokens } from "../protocol/useful-answer.ts";

/** What one pass of the sample stage has tried. */
export interface Tries {
  /** Attempts at the same request, including the current one. */
  readonly attempt: number;
  /** The attempts whose failure counts toward no limit. */
  readonly endless: number;
  /** Overloads in a row, across turns. An answer that broke off after its calls does not reset the count. */
  readonly overloads: number;
  readonly pauses: number;
  /** How often a shorter answer was requested. */
  readonly shortened: number;
  /** The tokens the prompt leaves in the window for an answer, if a server refused more; null until then. */
  readonly answerRoom: number | null;
  /** Each repair is made once: recoveries, and fields of each model. */
  readonly repaired: ReadonlySet<string>;
}

/** What the decision depends on besides the failure. */
export interface AttemptContext {
  model: string;
  /** The number of calls in the response; all of them have started. */
  calls: number;
  isCancelled: boolean;
  hasFallback: boolean;
  overloadsBeforeFallback: number;
  /** The longest answer the server is known to give, tokens. */
  answerLimit: number;
}

export type NextStep = { tries: Tries } & (
  | { go: "end"; outcome: "aborted" | "failed" | "overflowed" }
  /** No new request for this response: the loop continues after the results of its calls. */
  | { go: "settle"; onFallback: boolean }
  | { go: "fallback" }
  /** Retry after a pause, as long as the retry policy allows. `ifExhausted`: what happens when it does not. */
  | { go: "retry"; ifExhausted: "fallback" | "failed" }
  /** Repeat the request without what was refused. If nothing can be left out, the failure ends the run. */
  | { go: "repair" }
  /** `limit`: the longest answer of this model from now on, tokens. Absent: only this answer is shortened, to `answerRoom`. */
  | { go: "shorten"; limit?: number }
);

const nothingRepaired: ReadonlySet<string> = new Set();

export function firstTries(overloads: number): Tries {
  return { attempt: 0, endless: 0, overloads, pauses: 0, shortened: 0, answerRoom: null, repaired: nothingRepaired };
}

/** The model has answered: earlier failures no longer count. */
export function triesAfterAnswer(tries: Tries): Tries {
  return { ...tries, attempt: 0, endless: 0, overloads: 0 };
}

/** Another model takes over. */
export function triesAfterSwitch(tries: Tries): Tries {
  return { ...triesAfterAnswer(tries), answerRoom: null };
}

export function nextAttempt(before: Tries, failure: ModelFailure, context: AttemptContext): NextStep {
  const tries = { ...before, overloads: failure.overload === true ? before.overloads + 1 : 0 };
  if (context.isCancelled) return { go: "end", outcome: "aborted", tries };
  const onFallback = wantsFallback(tries, failure, context);
  if (context.calls > 0 && failure.kind === "refusal") return { go: "end", outcome: "failed", tries };
  if (context.calls > 0) return { go: "settle", onFallback, tries: onFallback ? triesAfterSwitch(tries) : tries };
  if (onFallback) return { go: "fallback", tries: triesAfterSwitch(tries) };
  switch (failure.recovery) {
    case "overflow":
    case "media":
      return shortenToRoom(tries, failure) ?? { go: "end", outcome: "overflowed", tries };
    case "output":
      return shortenToLimit(tries, failure, context) ?? { go: "end", outcome: "failed", tries };
    case "thinking":
    case "summary":
    case "block":
    case "field":
      return nextRepair(tries, failure, context) ?? { go: "end", outcome: "failed", tries };
    case "retry":
      return {
        go: "retry",
        ifExhausted: failure.overload === true && context.hasFallback ? "fallback" : "failed",
        tries,
      };
    case "fallback":
    case "none":
      return { go: "end", outcome: "failed", tries };
    default:
      // A model port written in JavaScript may name no recovery.
      failure.recovery satisfies never;
      return { go: "end", outcome: "failed", tries };
  }
}

function wantsFallback({ overloads }: Tries, { overload, recovery }: ModelFailure, context: AttemptContext): boolean {
  if (!context.hasFallback) return false;
  const isFinalOverload = overload === true && recovery === "none";
  return recovery === "fallback" || isFinalOverload || overloads >= context.overloadsBeforeFallback;
}

/** A changed request is not a retry, so the attempt does not count. */
function withChangedRequest(tries: Tries, change: Partial<Tries>): Tries {
  return { ...tries, attempt: tries.attempt - 1, ...change };
}

/** Each repair is made once. Only leaving out blocks may repeat: every time fewer kinds are left, so it ends by itself. */
function nextRepair(tries: Tries, failure: ModelFailure, { model }: AttemptContext): NextStep | null {
  const first = repairName(failure, model);
  // There is more than one remedy for missed thinking.
  const repairKey = failure.thinkingMissed === true && tries.repaired.has(first) ? `${first} again` : first;
  if (failure.recovery !== "block" && tries.repaired.has(repairKey)) return null;
  return { go: "repair", tries: withChangedRequest(tries, { repaired: new Set([...tries.repaired, repairKey]) }) };
}

function repairName({ recovery, field, thinkingMissed }: ModelFailure, model: string): string {
  // After refused thinking was left out, a server may miss it instead.
  if (thinkingMissed === true) return `missed thinking ${model}`;
  // A field is left out for one model only: the fallback model may need its own repair.
  return field === undefined ? recovery : `${field} ${model}`;
}

/** A server may allow less each time, because other calls spend the same credit. */
const maxShortenings = 5;

function shortenToLimit(
  tries: Tries,
  { answerLimit: limit = 0 }: ModelFailure,
  { answerLimit }: AttemptContext,
): NextStep | null {
  if (limit <= 0 || limit >= answerLimit || tries.shortened >= maxShortenings) return null;
  return { go: "shorten", limit, tries: withChangedRequest(tries, { shortened: tries.shortened + 1 }) };
}

/** Tried once: a server that then refuses again has counted differently than it said. */
function shortenToRoom(tries: Tries, { tokens }: ModelFailure): NextStep | null {
  if (tries.answerRoom !== null || tokens?.actual === undefined || tokens.answer === undefined) return null;
  const answerRoom = tokens.maximum - (tokens.actual - tokens.answer);
  return answerRoom < minUsefulAnswerTokens
    ? null
    : { go: "shorten", tries: withChangedRequest(tries, { answerRoom }) };
}
