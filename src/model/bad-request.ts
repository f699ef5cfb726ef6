/** Classifies why a server refused a request, from the words of its error. */
import { plainText, type ErrorBody } from "./error-body.ts";
import {
  answerLimit,
  leaveOutAdvice,
  missesThinkingInTurn,
  missesThinking,
  refusedField,
  saysBlockRefused,
  saysSummaryRefused,
  saysMediaRefused,
  saysThinkingRefused,
  saysThinkingUnknown,
} from "./failure-phrases.ts";
import type { FailureContext, Verdict } from "./verdict.ts";
import { missingModel, missingModelOf404, missingRoute } from "./words/models.ts";
import { noRecording } from "./words/recordings.ts";
import { matchesAny } from "./words/phrase.ts";

/** @param lower the error's text, in lower case. */
export function judgeBadRequest(lower: string, context: FailureContext): Verdict {
  if (missesThinking(lower)) {
    return {
      kind: "thinking_rejected",
      recovery: "thinking",
      thinkingMissed: true,
      ...(missesThinkingInTurn(lower) ? { isOfTurn: true } : {}),
      what: "found thinking blocks missing from the history",
      advice: "Turn thinking off (--thinking disabled), or start a new session.",
    };
  }
  const isUnknown = saysThinkingUnknown(lower);
  if (isUnknown || saysThinkingRefused(lower)) {
    return {
      kind: "thinking_rejected",
      recovery: "thinking",
      ...(isUnknown ? { thinkingUnknown: true } : {}),
      what: "refused thinking blocks in the history",
      advice: "",
    };
  }
  if (saysSummaryRefused(lower)) {
    return { kind: "compaction_refused", recovery: "summary", what: "refused a signed summary", advice: "" };
  }
  if (saysMediaRefused(lower)) return mediaRefused;
  const longest = answerLimit(lower);
  if (longest !== undefined) return answerTooLong(longest);
  if (matchesAny(missingModel, lower)) return noSuchModel(context);
  const invalid = {
    kind: "invalid_request",
    what: "refused the request as invalid",
    advice: leaveOutAdvice(lower),
  } as const;
  const field = refusedField(lower);
  if (field !== undefined) return { ...invalid, recovery: "field", field };
  return { ...invalid, recovery: saysBlockRefused(lower) ? "block" : "none" };
}

/** @param longest the longest answer the server gives, in tokens. */
export function answerTooLong(longest: number): Verdict {
  return {
    kind: "invalid_request",
    recovery: "output",
    answerLimit: longest,
    what: "does not give answers as long as the one requested",
    advice: "Set CLAUDE_CODE_MAX_OUTPUT_TOKENS to the longest it gives.",
  };
}

export const mediaRefused: Verdict = {
  kind: "media",
  recovery: "media",
  what: "refused an image or document",
  advice: "Use a smaller or different file, or remove it from the conversation.",
};

/** The error comes from a test server that plays back recordings. */
export function saysNotRecorded(lower: string): boolean {
  return matchesAny(noRecording, lower);
}

export const notRecorded: Verdict = {
  kind: "invalid_request",
  recovery: "none",
  what: "plays back recorded answers, and has none for this request",
  advice: "Give it a recording that matches.",
};

/** For a 404: the model is missing rather than the path. For a missing path the API says only "not found". */
export function saysNoModel({ type, code = "", message }: ErrorBody): boolean {
  if (type === "not_found_error") return !/^not found\.?$/i.test(message);
  return matchesAny(missingModelOf404, `${code} ${message}`.toLowerCase());
}

/** For a 5xx: the gateway has no route to the model, so a retry will not help. */
export function saysNoRoute(lower: string): boolean {
  return matchesAny(missingRoute, lower);
}

/** How a session's model is chosen, in the messages about a model that is not there. */
export const waysToChooseModel = "with --model or ANTHROPIC_MODEL, or with /model in a conversation";

export function noSuchModel(context: FailureContext): Verdict {
  return {
    kind: "model_not_found",
    recovery: "fallback",
    what: `does not serve the model ${plainText(context.model, 100)}`,
    advice: `Choose another model ${waysToChooseModel}.`,
  };
}
