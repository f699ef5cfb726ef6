/**
 * What becomes of a response that failed, in one pure function: what `decide` is for turns. What has been tried is counted here
 * alone; `sample-failure.ts` does what is said here.
 */
import type { ModelFailure } from "../protocol/model.ts";
import { usefulAnswer } from "../protocol/useful-answer.ts";

/** What one pass of sampling has tried. */
export interface Tries {
  /** Of the same request, with the one that is being made. */
  readonly attempt: number;
  /** Those of them whose failure counts toward no limit. */
  readonly endless: number;
  /** In a row, over the turns: an answer that broke off behind its calls is none. */
  readonly overloads: number;
  readonly pauses: number;
  /** How often a shorter answer was asked for. */
  readonly shortened: number;
  /** What the prompt leaves of the window for an answer, tokens, where a server refused more; null until then. */
  readonly answerRoom: number | null;
  /** Each is repaired once: recoveries, and fields of each model. */
  readonly repaired: ReadonlySet<string>;
}

/** What is seen besides the failure. */
export interface Seen {
  model: string;
  /** Of the response; each has started. */
  calls: number;
  isCancelled: boolean;
  hasFallback: boolean;
  overloadsBeforeFallback: number;
  /** The longest answer that the server is known to give, tokens. */
  answerLimit: number;
}

export type Next = { tries: Tries } & (
  | { go: "end"; as: "aborted" | "failed" | "overflowed" }
  /** Nothing is asked for again: the loop goes on behind the results of the calls. */
  | { go: "settle"; onFallback: boolean }
  | { go: "fallback" }
  /** After a pause, as long as the policy has retries left. */
  | { go: "retry"; else: "fallback" | "failed" }
  /** Without what was refused; where nothing can be left out, the failure is the end. */
  | { go: "repair" }
  /** `limit`: of each answer of this model from now on, tokens; absent: of this one, by the room. */
  | { go: "shorten"; limit?: number }
);

const nothingRepaired: ReadonlySet<string> = new Set();

export function firstTries(overloads: number): Tries {
  return { attempt: 0, endless: 0, overloads, pauses: 0, shortened: 0, answerRoom: null, repaired: nothingRepaired };
}

/** The model has answered: its failures before count no more. */
export function afterAnswer(tries: Tries): Tries {
  return { ...tries, attempt: 0, endless: 0, overloads: 0 };
}

/** Another model takes over. */
export function afterSwitch(tries: Tries): Tries {
  return { ...afterAnswer(tries), answerRoom: null };
}

export function nextAttempt(before: Tries, failure: ModelFailure, seen: Seen): Next {
  const tries = { ...before, overloads: failure.overload === true ? before.overloads + 1 : 0 };
  if (seen.isCancelled) return { go: "end", as: "aborted", tries };
  const onFallback = wantsFallback(tries, failure, seen);
  if (seen.calls > 0 && failure.kind === "refusal") return { go: "end", as: "failed", tries };
  if (seen.calls > 0) return { go: "settle", onFallback, tries: onFallback ? afterSwitch(tries) : tries };
  if (onFallback) return { go: "fallback", tries: afterSwitch(tries) };
  switch (failure.recovery) {
    case "overflow":
    case "media":
      return withRoom(tries, failure) ?? { go: "end", as: "overflowed", tries };
    case "output":
      return shorter(tries, failure, seen) ?? { go: "end", as: "failed", tries };
    case "thinking":
    case "summary":
    case "block":
    case "field":
      return repair(tries, failure, seen) ?? { go: "end", as: "failed", tries };
    case "retry":
      return { go: "retry", else: failure.overload === true && seen.hasFallback ? "fallback" : "failed", tries };
    case "fallback":
    case "none":
      return { go: "end", as: "failed", tries };
    default:
      // A model in JavaScript may name none.
      failure.recovery satisfies never;
      return { go: "end", as: "failed", tries };
  }
}

function wantsFallback({ overloads }: Tries, { overload, recovery }: ModelFailure, seen: Seen): boolean {
  if (!seen.hasFallback) return false;
  const isLastWord = overload === true && recovery === "none";
  return recovery === "fallback" || isLastWord || overloads >= seen.overloadsBeforeFallback;
}

/** What is asked otherwise is no retry. */
function otherwise(tries: Tries, change: Partial<Tries>): Tries {
  return { ...tries, attempt: tries.attempt - 1, ...change };
}

/** Of leaving out blocks each time leaves fewer kinds, so that it comes to an end by itself. */
function repair(tries: Tries, failure: ModelFailure, { model }: Seen): Next | null {
  const first = repairName(failure, model);
  // There is more than one thing to do about it.
  const what = failure.thinkingMissed === true && tries.repaired.has(first) ? `${first} again` : first;
  if (failure.recovery !== "block" && tries.repaired.has(what)) return null;
  return { go: "repair", tries: otherwise(tries, { repaired: new Set([...tries.repaired, what]) }) };
}

function repairName({ recovery, field, thinkingMissed }: ModelFailure, model: string): string {
  // Where refused thinking was left out, a server may miss it in its place.
  if (thinkingMissed === true) return `missed thinking ${model}`;
  // A field is left out for one model: the fallback model may have to be asked without it as well.
  return field === undefined ? recovery : `${field} ${model}`;
}

/** A server may give less each time: others spend the same credit. */
const mostShortened = 5;

function shorter(tries: Tries, { answerLimit: limit = 0 }: ModelFailure, { answerLimit }: Seen): Next | null {
  if (limit <= 0 || limit >= answerLimit || tries.shortened >= mostShortened) return null;
  return { go: "shorten", limit, tries: otherwise(tries, { shortened: tries.shortened + 1 }) };
}

/** Once: a server that then refuses the same has counted otherwise than it said. */
function withRoom(tries: Tries, { tokens }: ModelFailure): Next | null {
  if (tries.answerRoom !== null || tokens?.actual === undefined || tokens.answer === undefined) return null;
  const answerRoom = tokens.maximum - (tokens.actual - tokens.answer);
  return answerRoom < usefulAnswer ? null : { go: "shorten", tries: otherwise(tries, { answerRoom }) };
}
