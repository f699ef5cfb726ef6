/** What servers mean by what they say, as the tables in `words/` have it. All texts are in lower case. */
import type { ModelFailure, RequestField } from "../protocol/model.ts";
import { answerLimits } from "./words/answer-limit.ts";
import { comesBack, spendPhrases } from "./words/credit.ts";
import {
  adaptiveRefused,
  callIdRefused,
  displayRefused,
  enabledRefused,
  thinkingRefused,
  unknownField,
} from "./words/fields.ts";
import {
  blockAnywhere,
  blockComplaints,
  blockPlace,
  compactionComplaints,
  missedInTurn,
  reasoningComplaints,
  thinkingComplaints,
  thinkingMissed,
  thinkingSubject,
  toolSubject,
} from "./words/history.ts";
import { mediaComplaints, mediaSubject, sightless } from "./words/media.ts";
import { overflowFigures } from "./words/overflow-figures.ts";
import { overflowPhrases } from "./words/overflow.ts";
import { figuresIn, says } from "./words/phrase.ts";
import { abovePlan, noAllowance, rateFigures } from "./words/rate.ts";

export function saysOverflow(lower: string): boolean {
  // LiteLLM takes a string that is too long for a conversation that is.
  return !says(callIdRefused, lower) && says(overflowPhrases, lower);
}

/** `actual` counts the output asked for too, where the server added it up; absent where it told its limit alone. */
export function overflowTokens(lower: string): ModelFailure["tokens"] {
  for (const { actual: told, maximum = 0, extra, part } of figuresIn(overflowFigures, lower)) {
    if (maximum <= 0) continue;
    if (told === undefined) return { maximum };
    const actual = told + (extra ?? 0);
    const answer = extra ?? part ?? 0;
    if (actual > 0) return answer > 0 && answer < actual ? { actual, maximum, answer } : { actual, maximum };
  }
  return undefined;
}

/** The limit that the request alone is above; undefined where it is within it, or none was told. */
export function rateTokens(lower: string): { actual: number; maximum: number } | undefined {
  for (const { actual = 0, maximum = 0 } of figuresIn(rateFigures, lower))
    if (maximum > 0 && actual > maximum) return { actual, maximum };
  return undefined;
}

export function saysAbovePlan(lower: string): boolean {
  return says(abovePlan, lower);
}

export function saysNoAllowance(lower: string): boolean {
  return says(noAllowance, lower);
}

export function answerLimit(lower: string): number | undefined {
  for (const { most, above = 0 } of figuresIn(answerLimits, lower)) {
    const limit = most ?? above - 1;
    if (limit > 0) return limit;
  }
  return undefined;
}

/** What is complained of, without the lists of all that would have been taken, which name everything. */
function complaint(lower: string): string {
  const bare = lower.replace(/(any of the expected tags):.*/s, "$1");
  return bare.replace(/(input should be) '\w+'(?:(?:, | or )+'\w+')+/g, "$1").replace(/'ctx': \{[^}]*\}/g, "");
}

/** About the messages, as far as the words of `history.ts` and `media.ts` are concerned. */
function ofMessages(lower: string): string | undefined {
  const told = complaint(lower);
  return toolSubject.test(told) ? undefined : told;
}

export function saysMedia(lower: string): boolean {
  const told = ofMessages(lower);
  return told !== undefined && ((mediaSubject.test(told) && says(mediaComplaints, told)) || saysSightless(lower));
}

/** The model takes no pictures at all: gateways say so with any status. */
export function saysSightless(lower: string): boolean {
  return says(sightless, lower);
}

/** Complaints about thinking blocks in the history; not about the `thinking` parameter, which stripping would not cure. */
export function saysThinking(lower: string): boolean {
  const told = ofMessages(lower);
  if (told === undefined) return false;
  return (thinkingSubject.test(told) && says(thinkingComplaints, told)) || says(reasoningComplaints, told);
}

export function missesThinking(lower: string): boolean {
  return says(thinkingMissed, lower) || missesInTurn(lower);
}

export function missesInTurn(lower: string): boolean {
  return says(missedInTurn, lower);
}

export function saysCompaction(lower: string): boolean {
  return says(compactionComplaints, ofMessages(lower) ?? "");
}

/** Complaints about a block of the history whose kind the server does not know. */
export function saysBlock(lower: string): boolean {
  const told = complaint(lower);
  return (blockPlace.test(told) && says(blockComplaints, told)) || says(blockAnywhere, told);
}

/** LiteLLM keeps in one what Gemini thought. */
const callField = /\bmessages\b\W{0,6}\d+\W{1,6}content\W{1,6}\d+\W{1,6}tool_use\W{1,6}\w+\W{1,6}extra inputs/;

const configField =
  /\boutput_config(?:\.\w+)*\W{1,4}(?:extra inputs|is not)|(?:field|parameter|property|argument)s?(?: supplied)?\W{1,4}output_config/;

/** A field of the request, not of its messages, that the server does not know for the model and that it can be asked without. */
export function refusedField(lower: string): RequestField | undefined {
  const thinking = blockPlace.test(lower) ? undefined : refusedThinking(lower);
  if (thinking !== undefined) return thinking;
  if (says(callIdRefused, lower)) return "tool_use.id";
  if (!says(unknownField, lower)) return undefined;
  if (/cache_control\b.{0,40}\bttl\b|\bttl\W{1,4}extra inputs/.test(lower)) return "cache_control.ttl";
  if (/cache_control/.test(lower)) return "cache_control";
  if (callField.test(lower)) return "tool_use";
  if (/support the effort parameter/.test(lower)) return "output_config.effort";
  if (!configField.test(lower)) return undefined;
  const part = /\boutput_config\.(effort|task_budget)\b/.exec(lower)?.[1] as "effort" | "task_budget" | undefined;
  return part === undefined ? "output_config" : `output_config.${part}`;
}

function refusedThinking(lower: string): RequestField | undefined {
  if (says(displayRefused, lower)) return "thinking.display";
  if (says(adaptiveRefused, lower)) return "thinking.adaptive";
  if (says(enabledRefused, lower)) return "thinking.enabled";
  return says(thinkingRefused, lower) ? "thinking" : undefined;
}

/** What can be left out where a server or a gateway does not know it. */
export function leftOut(lower: string): string {
  if (/cache_control/.test(lower)) return "If it takes no prompt caching, set DISABLE_PROMPT_CACHING=1.";
  // One that goes by another name, or is to be more than the thoughts, is not too long.
  if (/\bmax_(?:\w+_)?tokens\b/.test(lower) && !/unsupported parameter|budget_tokens/.test(lower))
    return "If the model gives no answer as long, set CLAUDE_CODE_MAX_OUTPUT_TOKENS to what it gives.";
  if (/anthropic-beta/.test(lower))
    return "If it knows no such beta, set CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS=1; one that ANTHROPIC_BETAS or --betas names, take out there.";
  return "";
}

export function saysSpendLimit(lower: string): boolean {
  return says(spendPhrases, lower) && !says(comesBack, lower);
}

/** Of a 500, in the words of Portkey, which speaks each protocol only with those of its providers that have it. */
export function saysNoMessages(text: string): boolean {
  return text.startsWith("messages is not supported by ");
}

/** In the words of nginx and of Go. */
export function saysWantsHttps(lower: string): boolean {
  return /\bhttp request (?:was sent )?to (?:an )?https\b/.test(lower);
}

/** Of a 403: no server of an API answers with a page, nor with Cloudflare's codes. XML that is none may be of one. */
export function saysWall(body = ""): boolean {
  const isPage = /^\s*</.test(body) && /<(?:!doctype|html|head|body|title|center|h1)\b/i.test(body);
  return isPage || /^\s*error code: 1\d{3}\s*$/.test(body);
}
