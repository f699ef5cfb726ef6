/** The request alone exceeds what the account may use in a minute or a day: waiting does not make it smaller. */
import type { Phrase } from "./phrase.ts";

/** Figures of a token limit. Limits that are only used up for now report them too: the request exceeds one if `actual` > `maximum`. */
export const rateFigures: readonly Phrase[] = [
  [
    /\btokens\w* per (?:min|minute|hour|day)\b[^:]{0,12}: limit:? (?<maximum>[\d,]+), (?:used:? [\d,]+, )?requested:? (?<actual>[\d,]+)/,
    [
      "OpenAI",
      "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 36278. The input or output tokens must be reduced in order to run successfully. Visit https://platform.openai.com/account/rate-limits to learn more.",
      429,
    ],
    [
      "Groq",
      "Request too large for model `llama-3.1-8b-instant` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 12328, please reduce your message size and try again. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing",
      413,
    ],
  ],
];

/** The same, stated without figures. */
export const abovePlan: readonly Phrase[] = [
  [
    /extra usage is required for long context/,
    [
      "Anthropic",
      '{"type":"error","error":{"type":"rate_limit_error","message":"Extra usage is required for long context requests."}}',
      429,
    ],
  ],
];

/** The account has no allowance for the model at all: no request passes, and waiting does not help, even if the server suggests it. */
export const noAllowance: readonly Phrase[] = [
  [
    /\b(?:tokens|requests)\w* per (?:min|minute|hour|day)\b[^:]{0,12}: limit:? 0, (?:used:? [\d,]+, )?requested\b/,
    [
      "OpenAI",
      "Rate limit reached for gpt-4 in organization org-1 on tokens per min (TPM): Limit 0, Used 0, Requested 1054. Visit https://platform.openai.com/account/rate-limits to learn more.",
      429,
    ],
  ],
  [
    /\bquota exceeded for metric: \S{1,200}, limit: 0(?![\d.])/,
    [
      "Gemini",
      "You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 0, model: gemini-2.5-pro Please retry in 35.1s.",
      429,
    ],
  ],
];
