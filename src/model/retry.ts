/** Decides whether a failed attempt is repeated, and after how long. Pure: randomness and time are passed in. */
import type { ModelFailure } from "../protocol/model.ts";
import { matchesAny } from "./words/phrase.ts";
import { allowanceUsedUp } from "./words/used-up.ts";

export interface RetryPolicy {
  /** Attempts after the first. */
  maxRetries: number;
  /** Delay before the first retry, ms; doubles with each. */
  baseDelayMs: number;
  maxDelayMs: number;
  /** If the server asks for a longer wait than this, ms, the request is not retried. */
  retryAfterLimitMs: number;
  /** A busy server (429, 529) is asked until it answers, however long it asks to wait. Not after a broken-off answer: each is billed. */
  isEndless?: boolean;
}

export const defaultRetryPolicy: RetryPolicy = {
  maxRetries: 10,
  baseDelayMs: 500,
  maxDelayMs: 32_000,
  retryAfterLimitMs: 600_000,
};

/** If nothing listens or the name is unknown, two minutes of retries would only hide a wrong address. */
const maxUnreachedRetries = 4;

/** Stands for "no limit" where a number of retries is reported. */
export const endlessRetries = Number.MAX_SAFE_INTEGER;
/** The longest single wait in an endless retry: timers take no longer delay, and after sleep the machine should check again. */
const maxWaitMs = 24 * 60 * 60_000;

export type RetryAdvice =
  | { retry: true; delayMs: number; maxRetries: number; isEndless?: true }
  | { retry: false; failure: ModelFailure };

/**
 * @param attempt number of attempts that have failed so far, from 1.
 * @param random 0 to 1, for the jitter.
 * @param endless how many of these attempts do not count, because they were endless retries.
 */
export function retryAdvice(
  failure: ModelFailure,
  attempt: number,
  random: number,
  policy: RetryPolicy = defaultRetryPolicy,
  endless = 0,
): RetryAdvice {
  if (failure.recovery !== "retry") return { retry: false, failure };
  const askedMs = failure.retryAfterMs;
  if (policy.isEndless === true && isBusy(failure)) {
    const delayMs = Math.min(delayOf(attempt, random, askedMs, policy), maxWaitMs);
    return { retry: true, delayMs, maxRetries: endlessRetries, isEndless: true };
  }
  const counted = attempt - endless;
  if (askedMs !== undefined && askedMs > policy.retryAfterLimitMs)
    return { retry: false, failure: waitTooLongFailure(failure, askedMs) };
  // Minutes of retries would hide how long the limit lasts.
  if (askedMs === undefined && matchesAny(allowanceUsedUp, failure.detail?.toLowerCase() ?? ""))
    return { retry: false, failure: { ...failure, recovery: "none" } };
  const isFruitless = failure.neverSent === true && failure.mayPass !== true;
  const retryLimit = isFruitless ? Math.min(policy.maxRetries, maxUnreachedRetries) : policy.maxRetries;
  if (counted > retryLimit) return { retry: false, failure: gaveUpFailure(failure, retryLimit) };
  const delayMs = delayOf(counted, random, askedMs, policy);
  return { retry: true, delayMs, maxRetries: retryLimit };
}

function isBusy({ status, overload, begun }: ModelFailure): boolean {
  return begun !== true && (status === 429 || status === 529 || overload === true);
}

function delayOf(attempt: number, random: number, askedMs: number | undefined, policy: RetryPolicy): number {
  const full = Math.min(policy.baseDelayMs * 2 ** (attempt - 1), policy.maxDelayMs);
  const delay = full / 2 + (full / 2) * random;
  // Never before the time the server named, and not all clients in the same instant after it. A time in the past counts as none.
  return Math.round(askedMs === undefined || askedMs <= 0 ? delay : askedMs + Math.min(delay, 1_000));
}

function waitTooLongFailure(failure: ModelFailure, askedMs: number): ModelFailure {
  const minutes = Math.ceil(askedMs / 60_000);
  return {
    ...failure,
    kind: "rate_limit",
    recovery: "none",
    message: `${failure.message} The server asks to wait ${minutes} minutes, which is longer than pawl waits by itself: try again then.`,
  };
}

function gaveUpFailure(failure: ModelFailure, retries: number): ModelFailure {
  if (retries === 0) return { ...failure, recovery: "none" };
  return {
    ...failure,
    recovery: "none",
    message: `${failure.message} Gave up after ${retries} ${retries === 1 ? "retry" : "retries"}.`,
  };
}
