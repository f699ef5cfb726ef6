/**
 * Summarises one finished span, with one call of the model over that span alone. The system prompt and the tools are those of the
 * conversation, and read from the cache. The span is paid for once at the full price, which is cheaper than reading the whole conversation
 * for it unless the span is most of the conversation.
 */
import { contentText } from "../protocol/block-text.ts";
import type {
  Message,
  ModelFailure,
  ModelInfo,
  ModelRequest,
  ToolResultBlock,
  UserMessage,
} from "../protocol/index.ts";
import { hasSignedThinking } from "../protocol/thinking.ts";
import { middleCut } from "../lib/text-cut.ts";
import { spanInstruction } from "./collapse-text.ts";
import { longestSummary } from "./collapse-staged.ts";
import type { World } from "./layer.ts";
import { withoutMedia } from "./media.ts";
import { blockTokens, spanTokens, wholeTokens } from "./measure.ts";
import { admit, call } from "./model-call.ts";
import { metaText, strippedMark } from "./rewrite.ts";
import { learnsMissed, learnsUnsigned, thinkingFor } from "./summary-thinking.ts";
import { signalWithin } from "./time-limit.ts";

export interface SpanTask {
  /** The user's prompt that the span's work was done for, if known. */
  prompt: UserMessage | undefined;
  messages: readonly Message[];
  model: ModelInfo;
  fixedTokens: number;
  /** The most tokens of the span to show; longer results are cut in the middle. */
  mostTokens: number;
  key: string;
}

/** `text` undefined: there is no summary. The reason is not reported, because nobody waits for it. */
export interface SpanSummary {
  text: string | undefined;
}

const none: SpanSummary = { text: undefined };

/** Summarises a span within `summaryTimeLimitMs`. */
export async function summarizeSpan(world: World, task: SpanTask, signal: AbortSignal): Promise<SpanSummary> {
  const within = signalWithin(world, world.policy.summaryTimeLimitMs, signal);
  try {
    return await asked(world, task, within.signal);
  } finally {
    within.end();
  }
}

async function asked(world: World, task: SpanTask, signal: AbortSignal): Promise<SpanSummary> {
  const messages = shown(world, task);
  const request = requestOf(world, task, messages);
  const estimated = wholeTokens(messages, task.fixedTokens, world.memory.scale);
  const admission = await admit(world, request, messages, estimated, signal, true);
  if (!admission.admitted) return none;
  const answer = await call(world, { ...request, maxTokens: admission.maxTokens }, admission.ticket, signal);
  if (!answer.outcome.ok) learns(world, task, answer.outcome.failure);
  const text = answer.text.trim();
  // A summary that was cut, or an answer that continued the work instead, is not used.
  const isWhole = answer.outcome.ok && answer.outcome.stopReason === "end_turn";
  return isWhole && text !== "" && text.length <= longestSummary ? { text } : none;
}

function requestOf(world: World, { model, key }: SpanTask, messages: readonly Message[]): ModelRequest {
  const wished = thinkingFor(world, model);
  return {
    ...world.requestBase(),
    // With a thinking budget the API requires thinking before the calls, which are shown without theirs.
    thinking: wished.type === "enabled" ? { type: "disabled" } : wished,
    model: model.id,
    messages: world.toApi(messages, { model, isMissed: world.memory.unsigned.has(model.id) }).messages,
    // No later request begins with these messages.
    cacheBreakpoints: [],
    maxTokens: Math.min(model.maxOutputTokens, world.policy.spanSummaryMaxTokens),
    querySource: "compaction",
    key,
  };
}

/** Learns from the failure for the next span summary, and for summaries of a whole conversation. */
function learns(world: World, { model, messages }: SpanTask, failure: ModelFailure): void {
  if (!learnsUnsigned(world, model, messages, failure)) learnsMissed(world, model, failure);
}

/**
 * Prepares the messages to show. Thinking is stripped, because it is bound to what is not shown here; unsigned thinking that the server
 * requires back stays. Images are left out.
 */
function shown(world: World, { prompt, messages, model, mostTokens }: SpanTask): Message[] {
  const isFree = world.memory.unsigned.has(model.id) && !hasSignedThinking(messages);
  const plain = messages.map((message) => withoutMedia(message, "only its summary is kept"));
  const asked = prompt === undefined ? [] : [metaText(world, middleCut(contentText(prompt.content), longestPrompt))];
  const mark = isFree ? [] : [strippedMark(world)];
  return [...asked, ...withinTokens(plain, mostTokens), ...mark, metaText(world, spanInstruction)];
}

/** Cuts results so that each gets an equal share of the room that the rest leaves. */
function withinTokens(messages: readonly Message[], most: number): Message[] {
  const all = spanTokens(messages);
  if (all <= most) return [...messages];
  const results = messages.flatMap((message) => (message.type === "user" ? message.content.filter(isResult) : []));
  const rest = all - results.reduce((sum, block) => sum + blockTokens(block), 0);
  const each = Math.max(shortestResult, Math.floor((Math.max(0, most - rest) * charactersPerToken) / results.length));
  return messages.map((message) =>
    message.type === "user"
      ? { ...message, content: message.content.map((block) => (isResult(block) ? cut(block, each) : block)) }
      : message,
  );
}

const longestPrompt = 4_000;
const shortestResult = 200;
const charactersPerToken = 3;

function isResult(block: { type: string }): block is ToolResultBlock {
  return block.type === "tool_result";
}

function cut(block: ToolResultBlock, length: number): ToolResultBlock {
  const { content } = block;
  return { ...block, content: middleCut(contentText(content), length) };
}
