/** Interprets servers' error texts by the tables in `words/`. All texts are in lower case. */
import type { ModelFailure, RequestField } from "../protocol/model.ts";
import { answerLimits } from "./words/answer-limit.ts";
import { quotaReturns, spendPhrases } from "./words/credit.ts";
import {
  adaptiveRefused,
  callIdRefused,
  displayRefused,
  enabledRefused,
  thinkingRefused,
  unknownField,
} from "./words/fields.ts";
import {
  blockComplaintsWithoutPlace,
  blockComplaints,
  blockPlace,
  compactionComplaints,
  thinkingMissedInTurn,
  reasoningComplaints,
  thinkingComplaints,
  thinkingMissed,
  unknownThinking,
  thinkingSubject,
  toolSubject,
} from "./words/history.ts";
import { mediaComplaints, mediaSubject, noImageSupport } from "./words/media.ts";
import { overflowFigures } from "./words/overflow-figures.ts";
import { overflowPhrases } from "./words/overflow.ts";
import { figuresIn, matchesAny } from "./words/phrase.ts";
import { abovePlan, noAllowance, rateFigures } from "./words/rate.ts";

export function saysOverflow(lower: string): boolean {
  // LiteLLM uses the same words for a string that is too long as for a conversation that is.
  return !matchesAny(callIdRefused, lower) && matchesAny(overflowPhrases, lower);
}

/** `actual` includes the requested output if the server added it up, and is absent if the server stated only its limit. */
export function overflowTokens(lower: string): ModelFailure["tokens"] {
  for (const { actual: stated, maximum = 0, extra, part } of figuresIn(overflowFigures, lower)) {
    if (maximum <= 0) continue;
    if (stated === undefined) return { maximum };
    const actual = stated + (extra ?? 0);
    const answer = extra ?? part ?? 0;
    if (actual > 0) return answer > 0 && answer < actual ? { actual, maximum, answer } : { actual, maximum };
  }
  return undefined;
}

/** The limit that the request alone exceeds; undefined if the request is within the limit, or no limit was stated. */
export function rateTokens(lower: string): { actual: number; maximum: number } | undefined {
  for (const { actual = 0, maximum = 0 } of figuresIn(rateFigures, lower))
    if (maximum > 0 && actual > maximum) return { actual, maximum };
  return undefined;
}

export function saysAbovePlan(lower: string): boolean {
  return matchesAny(abovePlan, lower);
}

export function saysNoAllowance(lower: string): boolean {
  return matchesAny(noAllowance, lower);
}

export function answerLimit(lower: string): number | undefined {
  for (const { most, above = 0 } of figuresIn(answerLimits, lower)) {
    const limit = most ?? above - 1;
    if (limit > 0) return limit;
  }
  return undefined;
}

/** The complaint without its lists of accepted values, which name everything. */
function withoutAcceptedValues(lower: string): string {
  const bare = lower.replace(/(any of the expected tags):.*/s, "$1");
  return bare.replace(/(input should be) '\w+'(?:(?:, | or )+'\w+')+/g, "$1").replace(/'ctx': \{[^}]*\}/g, "");
}

/** The complaint if it is about the messages, as the phrases of `history.ts` and `media.ts` require; undefined if it is about tools. */
function messagesComplaint(lower: string): string | undefined {
  const complaintText = withoutAcceptedValues(lower);
  return toolSubject.test(complaintText) ? undefined : complaintText;
}

export function saysMediaRefused(lower: string): boolean {
  const complaintText = messagesComplaint(lower);
  return (
    complaintText !== undefined &&
    ((mediaSubject.test(complaintText) && matchesAny(mediaComplaints, complaintText)) || saysNoImages(lower))
  );
}

/** The model accepts no images at all: gateways say so with any status. */
export function saysNoImages(lower: string): boolean {
  return matchesAny(noImageSupport, lower);
}

/** Complaints about thinking blocks in the history, not about the `thinking` parameter: stripping blocks would not cure those. */
export function saysThinkingRefused(lower: string): boolean {
  const complaintText = messagesComplaint(lower) ?? "";
  return thinkingSubject.test(complaintText) && matchesAny(thinkingComplaints, complaintText);
}

/** The same, from a server that knows no blocks of thinking. */
export function saysThinkingUnknown(lower: string): boolean {
  const complaintText = messagesComplaint(lower) ?? "";
  return (
    (thinkingSubject.test(complaintText) && matchesAny(unknownThinking, complaintText)) ||
    matchesAny(reasoningComplaints, complaintText)
  );
}

export function missesThinking(lower: string): boolean {
  return matchesAny(thinkingMissed, lower) || missesThinkingInTurn(lower);
}

export function missesThinkingInTurn(lower: string): boolean {
  return matchesAny(thinkingMissedInTurn, lower);
}

export function saysSummaryRefused(lower: string): boolean {
  return matchesAny(compactionComplaints, messagesComplaint(lower) ?? "");
}

/** Complaints about a block of the history whose type the server does not know. */
export function saysBlockRefused(lower: string): boolean {
  const complaintText = withoutAcceptedValues(lower);
  return (
    (blockPlace.test(complaintText) && matchesAny(blockComplaints, complaintText)) ||
    matchesAny(blockComplaintsWithoutPlace, complaintText)
  );
}

/** LiteLLM keeps Gemini's thoughts in an extra field of the tool call. */
const callField = /\bmessages\b\W{0,6}\d+\W{1,6}content\W{1,6}\d+\W{1,6}tool_use\W{1,6}\w+\W{1,6}extra inputs/;

const configField =
  /\boutput_config(?:\.\w+)*\W{1,4}(?:extra inputs|is not)|(?:field|parameter|property|argument)s?(?: supplied)?\W{1,4}output_config/;

/** A field of the request (not of its messages) that the server does not know for this model and that the request works without. */
export function refusedField(lower: string): RequestField | undefined {
  const thinking = blockPlace.test(lower) ? undefined : refusedThinking(lower);
  if (thinking !== undefined) return thinking;
  if (matchesAny(callIdRefused, lower)) return "tool_use.id";
  if (!matchesAny(unknownField, lower)) return undefined;
  if (/cache_control\b.{0,40}\bttl\b|\bttl\W{1,4}extra inputs/.test(lower)) return "cache_control.ttl";
  if (/cache_control/.test(lower)) return "cache_control";
  if (callField.test(lower)) return "tool_use";
  if (/support the effort parameter/.test(lower)) return "output_config.effort";
  if (!configField.test(lower)) return undefined;
  const part = /\boutput_config\.(effort|task_budget)\b/.exec(lower)?.[1] as "effort" | "task_budget" | undefined;
  return part === undefined ? "output_config" : `output_config.${part}`;
}

function refusedThinking(lower: string): RequestField | undefined {
  if (matchesAny(displayRefused, lower)) return "thinking.display";
  if (matchesAny(adaptiveRefused, lower)) return "thinking.adaptive";
  if (matchesAny(enabledRefused, lower)) return "thinking.enabled";
  return matchesAny(thinkingRefused, lower) ? "thinking" : undefined;
}

/** Advice on what to leave out if a server or a gateway does not know it. */
export function leaveOutAdvice(lower: string): string {
  if (/cache_control/.test(lower))
    return "If the server does not support prompt caching, set DISABLE_PROMPT_CACHING=1.";
  // The answer is not too long if the parameter only has another name, or has to exceed the thinking budget.
  if (/\bmax_(?:\w+_)?tokens\b/.test(lower) && !/unsupported parameter|budget_tokens/.test(lower))
    return "If the model does not give answers this long, set CLAUDE_CODE_MAX_OUTPUT_TOKENS to the longest it gives.";
  if (/anthropic-beta/.test(lower))
    return "If the server does not know a beta, set CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS=1; if ANTHROPIC_BETAS or --betas names the beta, remove it there.";
  return "";
}

export function saysSpendLimit(lower: string): boolean {
  return matchesAny(spendPhrases, lower) && !matchesAny(quotaReturns, lower);
}

/** For a 500, in the words of Portkey, which offers each protocol only for those of its providers that have it. */
export function saysNoMessages(text: string): boolean {
  return text.startsWith("messages is not supported by ");
}

/** In the words of nginx and of Go. */
export function saysWantsHttps(lower: string): boolean {
  return /\bhttp request (?:was sent )?to (?:an )?https\b/.test(lower);
}

/** For a 403: no API server answers with a page, or with Cloudflare's codes. XML that is not a page may come from an API. */
export function saysFirewall(body: string): boolean {
  const isPage = /^\s*</.test(body) && /<(?:!doctype|html|head|body|title|center|h1)\b/i.test(body);
  return isPage || /^\s*error code: 1\d{3}\s*$/.test(body);
}
