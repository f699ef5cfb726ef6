/** Turns any failure between pawl and a server into one typed failure: a message for people, and what the loop may do about it. */
import type { ModelFailure } from "../protocol/model.ts";
import type { FailureKind } from "../protocol/stop.ts";
import { minUsefulAnswerTokens } from "../protocol/useful-answer.ts";
import {
  answerTooLong,
  judgeBadRequest,
  mediaRefused,
  noSuchModel,
  notRecorded,
  saysNoModel,
  saysNoRoute,
  saysNotRecorded,
} from "./bad-request.ts";
import { describeError, plainText, readErrorBody, type ErrorBody } from "./error-body.ts";
import {
  answerLimit,
  overflowTokens,
  rateTokens,
  saysAbovePlan,
  saysNoAllowance,
  saysNoMessages,
  saysOverflow,
  saysNoImages,
  saysSpendLimit,
  saysFirewall,
  saysWantsHttps,
} from "./failure-phrases.ts";
import { resetTime, retryDelayMs } from "./rate-limit-headers.ts";
import type { FailureContext, Verdict } from "./verdict.ts";

export type { FailureContext } from "./verdict.ts";

export interface HttpAnswer {
  status: number;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

const kindsForPeople: ReadonlySet<FailureKind> = new Set(["billing_error", "authentication_failed"]);

/** The failure for an answer whose status is not 200. */
export function failureFromAnswer(answer: HttpAnswer, context: FailureContext): ModelFailure {
  const body = readErrorBody(answer.body);
  const verdict = judgeFailure(effectiveStatus(answer.status, body), body, context, answer);
  const requestId = answer.headers["request-id"] ?? answer.headers["x-request-id"] ?? body.requestId;
  const failure = composeFailure(verdict, `${answer.status}`, body, context, requestId);
  failure.status = answer.status;
  const shouldRetry = answer.headers["x-should-retry"];
  // A retry does not help where a person has to pay or log in.
  if (shouldRetry === "true" && failure.recovery === "none" && !kindsForPeople.has(failure.kind))
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

function judgeFailure(status: number, body: ErrorBody, context: FailureContext, answer?: HttpAnswer): Verdict {
  const lower = `${body.code ?? ""} ${body.type ?? ""} ${body.message}`.toLowerCase();
  if (status >= 300 && status < 400) return redirectVerdict(answer);
  if (saysNotRecorded(lower)) return notRecorded;
  const limit = rateTokens(lower);
  if (limit !== undefined || saysAbovePlan(lower)) return aboveRateLimit(limit, context.maxTokens);
  if (saysNoAllowance(lower)) return noQuotaVerdict(context);
  if (status !== 429 && status !== 529 && saysOverflow(lower)) return promptTooLong(body);
  // If the remaining credit covers no useful answer, the credit counts as used up.
  const covered = status === 402 ? (answerLimit(lower) ?? 0) : 0;
  if (covered >= minUsefulAnswerTokens) return answerTooLong(covered);
  if (saysSpendLimit(lower)) return billingVerdict(context);
  if (status === 413) return promptTooLong(body);
  if (status === 400 && saysWantsHttps(lower)) return wantsHttps;
  if (status === 400 || status === 422) return judgeBadRequest(lower, context);
  if ((status === 404 || status === 500) && saysNoImages(lower)) return mediaRefused;
  if (status === 404) return saysNoModel(body) ? noSuchModel(context) : noMessagesApi;
  if (status === 405 || status === 501) return noMessagesApi;
  if (status === 403 && saysFirewall(answer?.body)) return firewallVerdict;
  if (status >= 500 && saysNoRoute(lower)) return noSuchModel(context);
  if (status >= 500) return saysNoMessages(body.message) ? noMessagesOfProvider : serverError(status, lower);
  return verdictByStatus(status, context);
}

function promptTooLong({ tokens, message }: ErrorBody): Verdict {
  const figures = tokens ?? overflowTokens(message.toLowerCase());
  return {
    kind: "prompt_too_long",
    recovery: "overflow",
    ...(figures === undefined ? {} : { tokens: figures }),
    what: "refused the request: the prompt is too long",
    advice: "Compact the conversation or start a new one.",
  };
}

/** Limits of this kind also count the answer tokens that the request asks for. */
function aboveRateLimit(limit: ReturnType<typeof rateTokens>, answer: number | undefined): Verdict {
  const counted = limit !== undefined && answer !== undefined && answer <= limit.actual ? { answer } : {};
  return {
    kind: "prompt_too_long",
    recovery: "overflow",
    ...(limit === undefined ? {} : { tokens: { ...limit, ...counted, isRate: true } }),
    what: "refused the request: it alone is above the account's limit",
    advice: "Compact the conversation, start a new one, or have the limit raised.",
  };
}

function noQuotaVerdict({ model }: FailureContext): Verdict {
  return {
    kind: "permission_denied",
    recovery: "fallback",
    what: `gives the account no quota for the model ${plainText(model, 100)}`,
    advice: "Choose another model with --model or ANTHROPIC_MODEL, or have the limit raised.",
  };
}

function billingVerdict(context: FailureContext): Verdict {
  const account =
    context.credentials.length === 0 ? "the account" : `the account of ${context.credentials.join(" and ")}`;
  return {
    kind: "billing_error",
    recovery: "none",
    what: "refused the request for want of credit",
    advice: `Check billing and spend limits of ${account}.`,
  };
}

const noMessagesApi: Verdict = {
  kind: "not_configured",
  recovery: "none",
  what: "has no Messages API at this address",
  advice: "Check ANTHROPIC_BASE_URL: it is the part of the address before /v1/messages.",
};

const noMessagesOfProvider: Verdict = {
  kind: "not_configured",
  recovery: "none",
  what: "has no Messages API for its provider",
  advice:
    "Choose another provider in the server's configuration, or in the ANTHROPIC_CUSTOM_HEADERS header that names the provider.",
};

const firewallVerdict: Verdict = {
  kind: "permission_denied",
  recovery: "none",
  what: "does not permit the request",
  advice:
    "The refusal reads like one from a proxy or a firewall, and may be about this machine's address rather than the key: check what is in between, and ANTHROPIC_BASE_URL.",
};

const wantsHttps: Verdict = {
  kind: "not_configured",
  recovery: "none",
  what: "was asked over http, but speaks https",
  advice: "Begin ANTHROPIC_BASE_URL with https://.",
};

function redirectVerdict(answer: HttpAnswer | undefined): Verdict {
  const target = answer?.headers["location"];
  const where = target === undefined ? "elsewhere" : `to ${plainText(target.replace(/[?#].*$/, ""), 200)}`;
  return {
    kind: "not_configured",
    recovery: "none",
    what: `redirects ${where}`,
    advice:
      "Redirects are not followed, because the key would travel along. Set ANTHROPIC_BASE_URL to the final address.",
  };
}

function serverError(status: number, lower: string): Verdict {
  const advice = "This usually clears up on its own; see status.anthropic.com for outages of Anthropic's own endpoint.";
  if (status === 529 || (status === 503 && /overloaded/.test(lower)))
    return { kind: "overloaded", recovery: "retry", overload: true, what: "is overloaded", advice };
  if (status === 504) return { kind: "server_error", recovery: "retry", what: "took too long", advice: "" };
  return { kind: "server_error", recovery: "retry", what: "had an internal error", advice };
}

function verdictByStatus(status: number, context: FailureContext): Verdict {
  const keys = context.credentials.join(" and ");
  switch (status) {
    case 401:
      return {
        kind: "authentication_failed",
        recovery: "none",
        what: keys === "" ? "wants credentials, and none were sent" : "refused the credentials",
        advice: keys === "" ? "Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN." : `Check ${keys}.`,
      };
    case 402:
      return billingVerdict(context);
    case 403:
      return {
        kind: "permission_denied",
        recovery: "none",
        what: "does not permit the request",
        advice: `Check what ${keys === "" ? "the account" : keys} may use.`,
      };
    case 407:
      return {
        kind: "not_configured",
        recovery: "none",
        what: "is behind a proxy that wants credentials",
        advice: "Put user and password into HTTPS_PROXY or HTTP_PROXY.",
      };
    case 408:
    case 409:
    case 425:
      return { kind: "server_error", recovery: "retry", what: passingProblems[status], advice: "" };
    case 429:
      return { kind: "rate_limit", recovery: "retry", what: "limits the rate of requests", advice: "" };
    default:
      return { kind: "invalid_request", recovery: "none", what: "refused the request", advice: "" };
  }
}

const passingProblems = {
  408: "took too long",
  409: "reports a conflict",
  425: "was not ready for the request",
} as const;

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
  const wait = retryDelayMs(headers, now);
  // In an overload, the limits named in the headers say nothing about when it ends.
  const isOfLimit = failure.kind === "rate_limit" || failure.kind === "billing_error";
  const limitResetsAt = isOfLimit ? resetTime(headers, now) : undefined;
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
  more: { advice?: string; requestId?: string; detail?: string } = {},
): ModelFailure {
  const failure: ModelFailure = {
    kind,
    recovery,
    message: failureMessage([`${context.endpoint} ${what}`], more.advice ?? "", more.requestId),
  };
  if (more.requestId !== undefined) failure.requestId = more.requestId;
  if (more.detail !== undefined) failure.detail = hideSecrets(plainText(more.detail), context.secrets);
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
