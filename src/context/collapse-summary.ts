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
import { admitCall, callModel } from "./model-call.ts";
import { metaMessage } from "./rewrite.ts";
import { strippedThinkingMark } from "../protocol/new-record.ts";
import { learnToSkipThinking, learnToSendUnsigned, thinkingSetting } from "./summary-thinking.ts";
import { createLimitedSignal } from "./time-limit.ts";

export interface SpanTask {
  /** The user's prompt that the span's work was done for, if known. */
  prompt: UserMessage | undefined;
  messages: readonly Message[];
  /** What the whole conversation knows about kinds of blocks that are not sent. */
  notices: readonly Message[];
  model: ModelInfo;
  fixedTokens: number;
  /** The most tokens of the span to show; longer results are cut in the middle. */
  mostTokens: number;
  key: string;
}

/** Summarises a span within `summaryTimeLimitMs`. Undefined: there is no summary; the reason is not reported, because nobody waits for it. */
export async function summarizeSpan(world: World, task: SpanTask, signal: AbortSignal): Promise<string | undefined> {
  const within = createLimitedSignal(world, world.policy.summaryTimeLimitMs, signal);
  try {
    return await askForSummary(world, task, within.signal);
  } finally {
    within.end();
  }
}

async function askForSummary(world: World, task: SpanTask, signal: AbortSignal): Promise<string | undefined> {
  const messages = messagesToShow(world, task);
  const request = createRequest(world, task, messages);
  const estimated = wholeTokens(messages, task.fixedTokens, world.memory.scale);
  const admission = await admitCall(world, request, messages, estimated, signal, true);
  if (!admission.admitted) return undefined;
  const answer = await callModel(world, { ...request, maxTokens: admission.maxTokens }, admission.ticket, signal);
  if (!answer.outcome.ok) learnFromFailure(world, task, answer.outcome.failure);
  const text = answer.text.trim();
  // A summary that was cut, or an answer that continued the work instead, is not used.
  const isWhole = answer.outcome.ok && answer.outcome.stopReason === "end_turn";
  return isWhole && text !== "" && text.length <= longestSummary ? text : undefined;
}

function createRequest(world: World, { model, key }: SpanTask, messages: readonly Message[]): ModelRequest {
  const thinking = thinkingSetting(world, model);
  return {
    ...world.requestBase(model.id),
    // With a thinking budget the API requires thinking before the calls, which are shown without theirs.
    thinking: thinking.type === "enabled" ? { type: "disabled" } : thinking,
    model: model.id,
    messages: world.toApi(messages, { model, isMissed: world.memory.modelsNeedingUnsigned.has(model.id) }).messages,
    // No later request begins with these messages.
    cacheBreakpoints: [],
    maxTokens: Math.min(model.maxOutputTokens, world.policy.spanSummaryMaxTokens),
    querySource: "compaction",
    key,
  };
}

/** Learns from the failure for the next span summary, and for summaries of a whole conversation. */
function learnFromFailure(world: World, { model, messages }: SpanTask, failure: ModelFailure): void {
  if (!learnToSendUnsigned(world, model, messages, failure)) learnToSkipThinking(world, model, failure);
}

/**
 * Prepares the messages to show. Thinking is stripped, because it is bound to what is not shown here; unsigned thinking that the server
 * requires back stays. Images are left out.
 */
function messagesToShow(world: World, { prompt, messages, notices, model, mostTokens }: SpanTask): Message[] {
  const isFree = world.memory.modelsNeedingUnsigned.has(model.id) && !hasSignedThinking(messages);
  const plain = messages.map((message) => withoutMedia(message, "only its summary is kept"));
  const promptMessages =
    prompt === undefined ? [] : [metaMessage(world, middleCut(contentText(prompt.content), longestPrompt))];
  const mark = isFree ? [] : [strippedThinkingMark(world)];
  const span = [...cutResultsToFit(plain, mostTokens), ...mark, ...notices];
  return [...promptMessages, ...span, metaMessage(world, spanInstruction)];
}

/** Cuts results so that each gets an equal share of the room that the rest leaves. */
function cutResultsToFit(messages: readonly Message[], maxTokens: number): Message[] {
  const all = spanTokens(messages);
  if (all <= maxTokens) return [...messages];
  const results = messages.flatMap((message) => (message.type === "user" ? message.content.filter(isResult) : []));
  const rest = all - results.reduce((sum, block) => sum + blockTokens(block), 0);
  const each = Math.max(
    shortestResult,
    Math.floor((Math.max(0, maxTokens - rest) * charactersPerToken) / results.length),
  );
  return messages.map((message) =>
    message.type === "user"
      ? { ...message, content: message.content.map((block) => (isResult(block) ? cutResult(block, each) : block)) }
      : message,
  );
}

const longestPrompt = 4_000;
const shortestResult = 200;
const charactersPerToken = 3;

function isResult(block: { type: string }): block is ToolResultBlock {
  return block.type === "tool_result";
}

function cutResult(block: ToolResultBlock, length: number): ToolResultBlock {
  const { content } = block;
  return { ...block, content: middleCut(contentText(content), length) };
}
