/** Judges a failure that a server reports, from its status and its words: what happened, what to do, and whether to retry. */
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
  waysToChooseModel,
} from "./bad-request.ts";
import { plainText, type ErrorBody } from "./error-body.ts";
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
import type { FailureContext, HttpAnswer, Verdict } from "./verdict.ts";

/**
 * @param status what the failure counts as, which the body may state better than the answer's own status.
 * @param answer absent for an error in a stream.
 */
export function judgeFailure(status: number, body: ErrorBody, context: FailureContext, answer?: HttpAnswer): Verdict {
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
  if (status === 403 && saysFirewall(answer?.body ?? "")) return firewallVerdict;
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
    advice: `Choose another model ${waysToChooseModel}. The limit may also be raised.`,
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
