/** What a server refuses of a request, told from its words. */
import { plainText, type ErrorBody } from "./error-body.ts";
import {
  answerLimit,
  leftOut,
  missesInTurn,
  missesThinking,
  refusedField,
  saysBlock,
  saysCompaction,
  saysMedia,
  saysThinking,
} from "./failure-phrases.ts";
import type { FailureContext, Verdict } from "./verdict.ts";
import { missingModel, missingModelOf404, missingRoute } from "./words/models.ts";
import { nothingRecorded } from "./words/recordings.ts";
import { says } from "./words/phrase.ts";

/** @param lower what was said, in lower case. */
export function badRequest(lower: string, context: FailureContext): Verdict {
  if (missesThinking(lower)) {
    return {
      kind: "thinking_rejected",
      recovery: "thinking",
      thinkingMissed: true,
      ...(missesInTurn(lower) ? { isOfTurn: true } : {}),
      what: "misses thinking blocks of the history",
      advice: "Turn thinking off (--thinking disabled), or start a new session.",
    };
  }
  if (saysThinking(lower)) {
    return {
      kind: "thinking_rejected",
      recovery: "thinking",
      what: "refused thinking blocks of the history",
      advice: "",
    };
  }
  if (saysCompaction(lower)) {
    return { kind: "compaction_refused", recovery: "summary", what: "refused a signed summary", advice: "" };
  }
  if (saysMedia(lower)) return mediaRefused;
  const longest = answerLimit(lower);
  if (longest !== undefined) return answerTooLong(longest);
  if (says(missingModel, lower)) return noSuchModel(context);
  const invalid = { kind: "invalid_request", what: "refused the request as invalid", advice: leftOut(lower) } as const;
  const field = refusedField(lower);
  if (field !== undefined) return { ...invalid, recovery: "field", field };
  return { ...invalid, recovery: saysBlock(lower) ? "block" : "none" };
}

/** `longest`: tokens. */
export function answerTooLong(longest: number): Verdict {
  return {
    kind: "invalid_request",
    recovery: "output",
    answerLimit: longest,
    what: "gives no answer as long as was asked for",
    advice: "Set CLAUDE_CODE_MAX_OUTPUT_TOKENS to what it gives.",
  };
}

export const mediaRefused: Verdict = {
  kind: "media",
  recovery: "media",
  what: "refused an image or document",
  advice: "Use a smaller or different file, or remove it from the conversation.",
};

/** Of a server for tests. */
export function saysNotRecorded(lower: string): boolean {
  return says(nothingRecorded, lower);
}

export const notRecorded: Verdict = {
  kind: "invalid_request",
  recovery: "none",
  what: "plays back answers, and has none for this request",
  advice: "Give it one that matches.",
};

/** Of a 404: what is not there is the model, and not the path, of which the API says no more than that. */
export function saysNoModel({ type, code = "", message }: ErrorBody): boolean {
  if (type === "not_found_error") return !/^not found\.?$/i.test(message);
  return says(missingModelOf404, `${code} ${message}`.toLowerCase());
}

/** Of a 5xx: no try will find the model. */
export function saysNoRoute(lower: string): boolean {
  return says(missingRoute, lower);
}

export function noSuchModel(context: FailureContext): Verdict {
  return {
    kind: "model_not_found",
    recovery: "fallback",
    what: `does not serve the model ${plainText(context.model, 100)}`,
    advice: "Choose another with --model or ANTHROPIC_MODEL, or /model in a conversation.",
  };
}
