/** Turns any failure between pawl and a server into one typed failure: a message for people, and what the loop may do about it. */
import { retryDelayMs } from "../lib/retry-delay.ts";
import type { ModelFailure } from "../protocol/model.ts";
import type { FailureKind } from "../protocol/stop.ts";
import { describeError, plainText, readErrorBody, type ErrorBody } from "./error-body.ts";
import { judgeFailure } from "./judge-failure.ts";
import { resetTime } from "./rate-limit-headers.ts";
import type { FailureContext, HttpAnswer, Verdict } from "./verdict.ts";

export type { FailureContext } from "./verdict.ts";

const kindsNeedingPerson: ReadonlySet<FailureKind> = new Set(["billing_error", "authentication_failed"]);

/** The failure for an answer whose status is not 200. */
export function failureFromAnswer(answer: HttpAnswer, context: FailureContext): ModelFailure {
  const body = readErrorBody(answer.body);
  const verdict = judgeFailure(effectiveStatus(answer.status, body), body, context, answer);
  const requestId = answer.headers["request-id"] ?? answer.headers["x-request-id"] ?? body.requestId;
  const failure = composeFailure(verdict, `${answer.status}`, body, context, requestId);
  failure.status = answer.status;
  const shouldRetry = answer.headers["x-should-retry"];
  // A retry does not help where a person has to pay or log in.
  if (shouldRetry === "true" && failure.recovery === "none" && !kindsNeedingPerson.has(failure.kind))
    failure.recovery = "retry";
  if (failure.recovery === "retry" || failure.kind === "billing_error")
    addRetryTimes(failure, answer.headers, context.now());
  // A 408 is retried even so: it only reports a timeout and is no verdict on the request.
  if (shouldRetry === "false" && answer.status !== 408 && failure.recovery === "retry") failure.recovery = "none";
  return failure;
}

/** The failure for an `error` event in a stream that began with status 200, or for an error in the body of a 200. */
export function failureFromErrorEvent(event: unknown, context: FailureContext, requestId?: string): ModelFailure {
  const body = describeError(event);
  const typed = statusOfType.get(body.type ?? "");
  const verdict = judgeFailure(typed ?? body.status ?? 500, body, context);
  const statusText = typed === undefined && body.status !== undefined ? `${body.status}` : (body.type ?? "error event");
  return composeFailure(verdict, statusText, body, context, requestId ?? body.requestId);
}

/** The status that an error type stands for. The types are public, and in a stream the type is the only information. */
const statusOfType: ReadonlyMap<string, number> = new Map([
  ["invalid_request_error", 400],
  ["authentication_error", 401],
  ["billing_error", 402],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["conflict_error", 409],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["api_error", 500],
  ["timeout_error", 504],
  ["overloaded_error", 529],
]);

function effectiveStatus(status: number, body: ErrorBody): number {
  return body.type === "overloaded_error" ? 529 : status;
}

function composeFailure(
  verdict: Verdict,
  status: string,
  body: ErrorBody,
  context: FailureContext,
  requestId: string | undefined,
): ModelFailure {
  const { what, advice, ...rest } = verdict;
  const detail = hideSecrets(body.message, context.secrets);
  const message = failureMessage([`${context.endpoint} ${what} (${status})`, detail], advice, requestId);
  const failure: ModelFailure = { ...rest, message };
  if (detail !== "") failure.detail = detail;
  if (requestId !== undefined) failure.requestId = requestId;
  return failure;
}

function addRetryTimes(failure: ModelFailure, headers: Readonly<Record<string, string>>, now: number): void {
  // A date counts from the server's own time: the clock here may be wrong.
  const sentAt = Date.parse(headers["date"] ?? "");
  const wait = retryDelayMs(headers, Number.isNaN(sentAt) ? now : sentAt);
  // In an overload, the limits named in the headers say nothing about when it ends.
  const isLimitFailure = failure.kind === "rate_limit" || failure.kind === "billing_error";
  const limitResetsAt = isLimitFailure ? resetTime(headers, now) : undefined;
  const resetsAt = limitResetsAt ?? (wait === undefined ? undefined : now + wait);
  if (wait !== undefined) failure.retryAfterMs = wait;
  if (resetsAt !== undefined) failure.resetsAt = resetsAt;
}

/** A failure that this side noticed. `what` is a clause that follows the endpoint's name. */
export function localFailure(
  kind: FailureKind,
  recovery: ModelFailure["recovery"],
  what: string,
  context: FailureContext,
  details: { advice?: string; requestId?: string; detail?: string },
): ModelFailure {
  const failure: ModelFailure = {
    kind,
    recovery,
    message: failureMessage([`${context.endpoint} ${what}`], details.advice ?? "", details.requestId),
  };
  if (details.requestId !== undefined) failure.requestId = details.requestId;
  if (details.detail !== undefined) failure.detail = hideSecrets(plainText(details.detail), context.secrets);
  return failure;
}

function failureMessage(parts: string[], advice: string, requestId: string | undefined): string {
  const statement = parts
    .filter((part) => part !== "")
    .join(": ")
    .replace(/[.\s]+$/, "");
  return `${statement}.${advice === "" ? "" : ` ${advice}`}${requestId === undefined ? "" : ` (request ${requestId})`}`;
}

function hideSecrets(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) if (secret.length >= 4) shown = shown.replaceAll(secret, "[hidden]");
  return shown;
}
