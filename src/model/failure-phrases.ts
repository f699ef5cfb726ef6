/** What servers say when a request does not fit, in their own words: Anthropic's first, then those of compatible servers. */
import type { ModelFailure, RequestField } from "../protocol/model.ts";

const overflowPhrases: readonly RegExp[] = [
  /input is too long/,
  /prompt too long/,
  /prompt (?:\([\d,]+ tokens\) )?is too l(?:ong|arge)/,
  /prompt exceeds (?:the )?max(?:imum)? length/,
  /exceeds? (?:the |this )?(?:available |maximum |model'?s? )*context/,
  /exceed(?:s|ed|ing)?[^.]{0,60}(?:context (?:length|window|size|limit)|maximum number of tokens|model token limit)/,
  /(?:longer|greater|larger|more) than[^.]{0,60}(?:context|maximum model length)/,
  /maximum (?:context|prompt|model) length/,
  /context (?:length|window|size)[^.]{0,40}(?:exceed|overflow|too (?:long|large|small))/,
  /context_length_exceeded|exceed_context_size|model_context_window_exceeded|contextwindowexceeded/,
  /context the overflows|overflows? the context/,
  /prompt token count of [\d,]+ exceeds/,
  /reduce the length of (?:the |your )?(?:messages|prompt|input)/,
  /inputs`? tokens \+ `?max_new_tokens`? must be/,
  /inputs`? must have less than [\d,]+ tokens/,
  /input tokens exceed/,
  /tokens in the prompt cannot exceed/,
  /range of input length should be/,
  /too many total text bytes|request payload size exceeds/,
  /\bn_ctx\b/,
  /must be less than (?:or equal to )?max_seq_len/,
  /(?:input|prompt) length \(?[\d,]+\)? exceeds/,
  /sum of prompt length .{0,60}should not exceed/,
  /tokens of image and text exceed/,
  /prompt ?超长/,
];

/** Figures in those texts. `extra` is output that was asked for beside the input, `part` such output that is counted in `actual`. */
const overflowFigures: readonly RegExp[] = [
  /maximum context length (?:is|of) (?<maximum>[\d,]+).{0,60}?requested(?: about)? (?<actual>[\d,]+) tokens \([^)]{0,120}?(?<part>[\d,]+) in the (?:completion|output)\)/,
  /too large: (?<extra>[\d,]+)\. this model's maximum context length is (?<maximum>[\d,]+) tokens and your request has (?<actual>[\d,]+) input tokens/,
  /maximum context length of (?<maximum>[\d,]+) tokens\. you requested a total of [\d,]+ tokens: (?<actual>[\d,]+) tokens from the input messages and (?<extra>[\d,]+)/,
  /prompt is too long:? (?<actual>[\d,]+) tokens? > (?<maximum>[\d,]+)/,
  /passed (?<actual>[\d,]+) input tokens and requested (?<extra>[\d,]+) output tokens.{0,60}?context length is only (?<maximum>[\d,]+)/,
  /maximum context length is (?<maximum>[\d,]+) tokens\. however, you requested (?<extra>[\d,]+) output tokens and your prompt contains (?:at least )?(?<actual>[\d,]+) input tokens/,
  /input length and `?max_tokens`? exceed context limit: (?<actual>[\d,]+) \+ (?<extra>[\d,]+) > (?<maximum>[\d,]+)/,
  /\((?<actual>[\d,]+) tokens\) exceeds the available context size \((?<maximum>[\d,]+)/,
  /token count(?: of)? \(?(?<actual>[\d,]+)\)? exceeds the (?:maximum number of tokens allowed|limit of) \(?(?<maximum>[\d,]+)/,
  /length (?<actual>[\d,]+)\) is longer than the maximum model length of (?<maximum>[\d,]+)/,
  /model token limit: (?<maximum>[\d,]+) \(requested: (?<actual>[\d,]+)\)/,
  /first (?<actual>[\d,]+) tokens when context.{0,80}context length of only (?<maximum>[\d,]+)/,
  /contains (?<actual>[\d,]+) tokens.{0,60}?with (?<maximum>[\d,]+) maximum context length/,
  /maximum (?:context|prompt|model) length (?:is|of) (?<maximum>[\d,]+).{0,60}?(?:requested|resulted in|contains|have)(?: about)? (?<actual>[\d,]+)/,
  /must be <= (?<maximum>[\d,]+)\. given: (?<actual>[\d,]+) `?inputs`? tokens and (?<extra>[\d,]+)/,
  /must have less than (?<maximum>[\d,]+) tokens\. given: (?<actual>[\d,]+)/,
  /\((?<actual>[\d,]+) tokens\) is (?:too long and exceeds limit of|longer than the model's context length) \(?(?<maximum>[\d,]+)/,
  /prompt is too l(?:ong|arge): (?<actual>[\d,]+)(?:, model maximum context length:| tokens\. maximum is) (?<maximum>[\d,]+)/,
  /current length is (?<actual>[\d,]+) while limit is (?<maximum>[\d,]+)/,
  /prompt cannot exceed (?<maximum>[\d,]+) - received (?<actual>[\d,]+)/,
  /configured limit of (?<maximum>[\d,]+) tokens\. your messages resulted in (?<actual>[\d,]+)/,
  /\((?<actual>[\d,]+)\) must be less than (?:or equal to )?max_seq_len \((?<maximum>[\d,]+)/,
  /length \(?(?<actual>[\d,]+)\)? exceeds (?:the )?(?:model's )?max(?:imum)?(?: input| context| model)? length \(?(?<maximum>[\d,]+)/,
  // Servers that tell their limit and not what they counted.
  /(?:maximum|max) (?:context|prompt|model|sequence) (?:length|size|window)(?: is| of| =|:)? ?(?<maximum>[\d,]+)/,
  /context (?:length|window|size)(?: is| of| =|:)(?: only)? ?(?<maximum>[\d,]+)/,
  /\bn_ctx\b[^\d]{0,12}(?<maximum>[\d,]+)/,
  /(?:input tokens exceed the configured limit of|range of input length should be \[\d+,) ?(?<maximum>[\d,]+)/,
];

const mediaSubject = /\b(?:images?|pdfs?|documents?|media[ _]type)\b/;
/** Models that see nothing, in the words of OpenRouter, Ollama, vLLM, llama.cpp, DeepSeek, Z.ai, Azure and Bedrock. */
const sightless: readonly RegExp[] = [
  /\b(?:support|accept)s?\b[^.]{0,40}\b(?:images?|multi-?modal|vision)\b/,
  /not a multi-?modal model/,
  /\bimage input is not supported/,
  /\bat most \d+ image/,
  /unknown variant `?(?:image|image_url|input_image)`?, expected `?text/,
  /\bimage_url\b.{0,20}(?:not|only) supported/,
  /content\.type\b.{0,40}\['text'\]/,
  /`text` is not set/,
  // Of a result that holds one: Ollama's cloud, which tells no place, strict servers, and Groq.
  /(?<![:)\]]) input should be a valid string(?: \(ref|\.?$)/,
  /\bmessages\b\W{0,6}\d+\W{1,6}content\b.{1,40}\bcontent\b.{1,10}input should be a valid string/,
  /role:tool\b.{1,100}\.content\W{1,4}value must be a string/,
];
const mediaComplaint =
  /exceed|too (?:large|big|many|small)|maximum|dimension|could not|cannot|unable|invalid|not (?:valid|supported)|unsupported|corrupt|empty|appears? to be|does not match|password|pages|failed|input should be/;

const thinkingSubject = /thinking/;
const thinkingComplaint =
  /cannot be modified|invalid `?signature|signature.{0,40}(?:required|invalid|missing)|bound to a different conversation|cannot contain|must start with|(?:final|latest|preceding).{0,80}(?:expected|must)|expected `?(?:redacted_)?thinking|input tag '(?:redacted_)?thinking'|first block must be|each `?thinking`? block must|validation errors?:.{0,400}'(?:type|input)': '(?:redacted_)?thinking'/s;
/** Groq and Cerebras. The word alone tells nothing: models and other fields are called so. */
const reasoningComplaint = /property '[\w.]*reasoning(?:_content)?' is unsupported|reasoning is not supported with/;

const blockPlace = /\bmessages\b\W{0,6}\d+\W{1,6}content\W{1,6}\d+/;
const blockComplaint =
  /input tag|discriminator|unknown variant|input should be '|(?:unknown|unsupported|unrecogni[sz]ed|unexpected|invalid)(?: \S+){0,2} (?:type|block|tag)\b|\b(?:type|block)s?\b[^.]{0,60}(?:not (?:supported|recogni[sz]ed|valid|allowed|known)|unsupported|unknown)/;
const blockAnywhere =
  /(?:unknown|unsupported|unrecogni[sz]ed|invalid) content (?:block|part|type)|content (?:block|part) types?\b[^.]{0,60}(?:not supported|unsupported|unknown|unrecogni[sz]ed)/;

const spendPhrases =
  /spend(?:ing)? (?:limit|cap)|specified api usage limits|credit balance|insufficient[_ ](?:user[_ ])?(?:quota|credits|balance)|exceeded your current quota|exceeded_current_quota|budget_exceeded|payment required|余额不足|额度不足|quota is not enough|credit limit is insufficient|arrearage/;
/** Servers that call a limit on the rate a quota, and say when there is more of it. */
const comesBack = /\bretry (?:in|after) [\d.]+ ?(?:m?s|m|seconds|minutes)\b/;
const spendCodes = new Set(["enforced_spend_limit_reached", "contract_spend_limit_reached"]);

export function saysOverflow(text: string): boolean {
  const lower = text.toLowerCase();
  // LiteLLM takes a string that is too long for a conversation that is.
  return !callIdRefused.test(lower) && overflowPhrases.some((phrase) => phrase.test(lower));
}

/** `actual` counts the output asked for too, where the server added it up; absent where it told its limit alone. */
export function overflowTokens(text: string): ModelFailure["tokens"] {
  const lower = text.toLowerCase();
  for (const pattern of overflowFigures) {
    const groups = pattern.exec(lower)?.groups;
    if (groups === undefined) continue;
    const actual = figure(groups["actual"]) + figure(groups["extra"]);
    const maximum = figure(groups["maximum"]);
    if (maximum <= 0) continue;
    if (groups["actual"] === undefined) return { maximum };
    const answer = figure(groups["extra"] ?? groups["part"]);
    if (actual > 0) return answer > 0 && answer < actual ? { actual, maximum, answer } : { actual, maximum };
  }
  return undefined;
}

/** Complaints about `max_tokens` alone, and what the model answers at most. */
const answerLimits: readonly RegExp[] = [
  /max_tokens: [\d,]+ > (?<most>[\d,]+), which is the maximum allowed number of output tokens/,
  /max_(?:completion_|output_)?tokens\W{1,3}is too large\b.{0,40}supports at most (?<most>[\d,]+)/,
  /range of max_tokens (?:is|should be) \[\d+, ?(?<most>[\d,]+)\]/,
  /maximum tokens you requested exceeds the model limit of (?<most>[\d,]+)/,
  /max_tokens\W{1,3}(?:must|should) (?:be (?:<=|at most|less than or equal to|no more than)|not exceed)\W{1,3}(?<most>[\d,]+)/,
  /max_tokens\W{1,3}(?:must|should) be (?:between [\d,]+ and (?<most>[\d,]+)|less than (?<above>[\d,]+))/,
  /max_tokens\W{1,3}(?:\([\d,]+\) )?cannot exceed (?<most>[\d,]+)/,
  /max_tokens\b.{0,80}expected a value <= (?<most>[\d,]+)/,
  /max_tokens\W{1,3}input should be less than or equal to (?<most>[\d,]+)/,
  /but can only afford (?<most>[\d,]+)/,
  /max_tokens\b.{0,40}\[\d+, ?(?<most>[\d,]+)\]/,
  /maxoutputtokens value of [\d,]+ but the supported range is from \d+ \(inclusive\) to (?<above>[\d,]+) \(exclusive\)/,
];

export function answerLimit(text: string): number | undefined {
  const lower = text.toLowerCase();
  for (const pattern of answerLimits) {
    const groups = pattern.exec(lower)?.groups;
    const most = figure(groups?.["most"]) || figure(groups?.["above"]) - 1;
    if (most > 0) return most;
  }
  return undefined;
}

/** What is complained of, without the list of all that would have been taken, which names everything. */
function complaint(text: string): string {
  return text.toLowerCase().replace(/(any of the expected tags):.*/s, "$1");
}

export function saysMedia(text: string): boolean {
  const lower = complaint(text);
  return (mediaSubject.test(lower) && mediaComplaint.test(lower)) || saysSightless(text);
}

/** The model takes no pictures at all: gateways say so with any status. */
export function saysSightless(text: string): boolean {
  const lower = text.toLowerCase();
  return sightless.some((phrase) => phrase.test(lower));
}

/** Complaints about thinking blocks in the history; not about the `thinking` parameter, which stripping would not cure. */
export function saysThinking(text: string): boolean {
  const lower = complaint(text);
  return (thinkingSubject.test(lower) && thinkingComplaint.test(lower)) || reasoningComplaint.test(lower);
}

/**
 * Servers that take no call back without what was thought before it: a summary, another model, or a resume may have lost it, or
 * nothing was thought when it was made. The API says what stands in its place.
 */
const thinkingMissed =
  /(?:thinking|reasoning_content)[^.]{0,60}must be (?:passed|sent) back|missing `?reasoning_content|reasoning_content`? is missing/;
const missedInTurn =
  /must start with a thinking block|expected `?thinking`?(?: or `?redacted_thinking`?)?, but found `?(?:text|tool_use|server_tool_use)\b/;

export function missesThinking(text: string): boolean {
  return thinkingMissed.test(text.toLowerCase()) || missesInTurn(text);
}

/** The API looks at the turn that runs, and at none before it. */
export function missesInTurn(text: string): boolean {
  return missedInTurn.test(text.toLowerCase());
}

/** Complaints about a signed summary, asked for or sent back, and about the beta it needs. */
export function saysCompaction(text: string): boolean {
  return /\bcompaction\b|\bcompaction_|compact-20\d\d/.test(complaint(text));
}

/** Complaints about a block of the history whose kind the server does not know. */
export function saysBlock(text: string): boolean {
  const lower = complaint(text);
  return (blockPlace.test(lower) && blockComplaint.test(lower)) || blockAnywhere.test(lower);
}

const unknownField =
  /extra inputs are not permitted|\b(?:unknown|unrecogni[sz]ed|unexpected|unsupported) (?:field|parameter|property|request argument)|not (?:supported|permitted|allowed)|does(?: not|n't) support/;
/** A way to think that the model does not have, in the words of Anthropic, Pydantic and Rust's serde. */
const adaptiveRefused: readonly RegExp[] = [
  /\badaptive\b(?: \w+)?\W{1,3}(?:is |are )?(?:not (?:supported|permitted|allowed|available|valid|recogni[sz]ed)|unsupported|unknown|invalid)/,
  /(?:does(?: not|n't)|cannot) (?:support|accept|have|use) (?:\w+ )?\W?adaptive/,
  /(?:unknown|unsupported|unrecogni[sz]ed|unexpected|invalid) (?:(?!expected|must|only|use )[^.]){0,40}\badaptive\b/,
  /input tag 'adaptive'/,
  /\bthinking(?:\.type)?\W{1,4}input should be (?!.*adaptive).*'enabled'/s,
];
const enabledRefused: readonly RegExp[] = [
  /\bthinking\.(?:type\.)?enabled\W{1,3}(?:is )?not supported/,
  /(?:unknown|unsupported|unrecogni[sz]ed|unexpected|invalid) thinking\b(?:(?!expected|must|only|use )[^.]){0,30}\benabled\b/,
  /input tag 'enabled'/,
  /\bthinking(?:\.type)?\W{1,4}input should be (?!.*enabled).*'adaptive'/s,
];
const displayRefused: readonly RegExp[] = [
  /\bthinking(?:\.\w+)*\.display\W{1,4}(?:extra inputs|is not)/,
  /(?:unknown|unrecogni[sz]ed|unexpected|unsupported) (?:field|parameter|property|request argument)s?\W{1,4}(?:thinking\.)?display\b/,
];
const thinkingField: readonly RegExp[] = [
  /\bthinking\.(?:type\.)?disabled\W{1,3}(?:is )?not supported/,
  /\bthinking(?:\.\w+)*\W{1,4}extra inputs/,
  /\bthinking(?:\.type)?\W{1,4}input (?:tag|should be ')/,
  /does(?: not|n't) support (?:\w+ |parameters?\W{1,4})?thinking/,
  /(?:unknown|unrecogni[sz]ed|unexpected|unsupported) (?:field|parameter|property|request argument)s?\W{1,4}thinking\b/,
  /invalid thinking: only type/,
];

/** LiteLLM keeps in one what Gemini thought. */
const callField = /\bmessages\b\W{0,6}\d+\W{1,6}content\W{1,6}\d+\W{1,6}tool_use\W{1,6}\w+\W{1,6}extra inputs/;

/** Of the API, Bedrock's (of one that is too long, too), its own protocol, and OpenAI's. */
const callIdRefused =
  /\b(?:tool_use\W{1,6}id|tool_use_id)\W{1,6}string should (?:match pattern|have at most)|tooluseid\W{1,6}failed to satisfy constraint|\b(?:tool_calls\W{1,4}\d+\W{1,4}id|call_id)\W{1,6}string too long/;

const configField =
  /\boutput_config(?:\.\w+)*\W{1,4}(?:extra inputs|is not)|(?:field|parameter|property|argument)s?\W{1,4}output_config/;

/** A field of the request, not of its messages, that the server does not know for the model and that it can be asked without. */
export function refusedField(text: string): RequestField | undefined {
  const lower = text.toLowerCase();
  const thinking = blockPlace.test(lower) ? undefined : refusedThinking(lower);
  if (thinking !== undefined) return thinking;
  if (callIdRefused.test(lower)) return "tool_use.id";
  if (!unknownField.test(lower)) return undefined;
  if (/cache_control\b.{0,40}\bttl\b|\bttl\W{1,4}extra inputs/.test(lower)) return "cache_control.ttl";
  if (/cache_control/.test(lower)) return "cache_control";
  if (callField.test(lower)) return "tool_use";
  if (/support the effort parameter/.test(lower)) return "output_config.effort";
  if (!configField.test(lower)) return undefined;
  const part = /\boutput_config\.(effort|task_budget)\b/.exec(lower)?.[1] as "effort" | "task_budget" | undefined;
  return part === undefined ? "output_config" : `output_config.${part}`;
}

function refusedThinking(lower: string): RequestField | undefined {
  if (displayRefused.some((phrase) => phrase.test(lower))) return "thinking.display";
  if (adaptiveRefused.some((phrase) => phrase.test(lower))) return "thinking.adaptive";
  if (enabledRefused.some((phrase) => phrase.test(lower))) return "thinking.enabled";
  return thinkingField.some((phrase) => phrase.test(lower)) ? "thinking" : undefined;
}

/** What can be left out where a server or a gateway does not know it. */
export function leftOut(text: string): string {
  if (/cache_control/.test(text)) return "If it takes no prompt caching, set DISABLE_PROMPT_CACHING=1.";
  // One that goes by another name, or is to be more than the thoughts, is not too long.
  if (/\bmax_(?:\w+_)?tokens\b/.test(text) && !/unsupported parameter|budget_tokens/i.test(text))
    return "If the model gives no answer as long, set CLAUDE_CODE_MAX_OUTPUT_TOKENS to what it gives.";
  if (/anthropic-beta/.test(text))
    return "If it knows no such beta, set CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS=1; one that ANTHROPIC_BETAS or --betas names, take out there.";
  return "";
}

export function saysSpendLimit(text: string, code: string | undefined): boolean {
  const lower = text.toLowerCase();
  return (code !== undefined && spendCodes.has(code)) || (spendPhrases.test(lower) && !comesBack.test(lower));
}

/** Of a 500, in the words of Portkey, which speaks each protocol only with those of its providers that have it. */
export function saysNoMessages(text: string): boolean {
  return /^messages is not supported by /.test(text);
}

/** In the words of nginx and of Go. */
export function saysWantsHttps(text: string): boolean {
  return /\bhttp request (?:was sent )?to (?:an )?https\b/i.test(text);
}

function figure(text: string | undefined): number {
  return text === undefined ? 0 : Number(text.replaceAll(",", ""));
}
