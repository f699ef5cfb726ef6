/** Writes one summary with the model, over the conversation's own prefix. Bounded: every kind of retry is counted. */
import type { ContextEvent, Message, ModelFailure, ModelInfo, ModelOutcome, ModelRequest } from "../protocol/index.ts";
import { refusedKinds } from "../protocol/left-out-kinds.ts";
import { cutText, isWholeSummary, summaryInstruction } from "./instructions.ts";
import type { World } from "./layer.ts";
import { newNotice, strippedThinkingMark } from "../protocol/new-record.ts";
import { withoutMedia } from "./media.ts";
import { admitCall, callModel, retryWaitMs } from "./model-call.ts";
import { spanTokens, wholeTokens } from "./measure.ts";
import { bindsThinking, leftOutMark, metaMessage } from "./rewrite.ts";
import { shrinkToFit } from "./summary-fit.ts";
import {
  learnToSkipThinking,
  learnToSendUnsigned,
  thinkingForRequest,
  thinkingWithinBudget,
} from "./summary-thinking.ts";
import { recordWindow } from "./known-windows.ts";
import { timeLimitReason } from "./time-limit.ts";
import { pause } from "../lib/pause.ts";

export interface SummaryTask {
  /** The messages to summarise, from the beginning of the conversation. */
  messages: readonly Message[];
  model: ModelInfo;
  /** The model's window as this session knows it, tokens. */
  window: number;
  fixedTokens: number;
  /** `max_tokens` of the conversation's own requests. */
  maxTokens: number;
  extra: readonly string[];
  key: string;
  /** The least output tokens to ask for, after a summary with fewer was cut. */
  roomTokens?: number;
}

export type Summary =
  | { ok: true; text: string }
  /** `unpaid`: the budget refused the call. `aborted`: the signal ended it. Neither says anything about the next attempt. */
  | { ok: false; why: string; kind: "failed" | "unpaid" | "aborted" };

interface Attempts {
  remaining: number;
  drops: number;
  /** How often it was retried after a temporary failure. */
  retries: number;
  strips: number;
  media: number;
  fields: number;
}

const mostRetries = 2;

/** Writes a summary. If it is cut, it is requested once more with more room, if there is any. */
export async function* summarize(
  world: World,
  task: SummaryTask,
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, Summary> {
  const first = yield* attemptSummary(world, task, signal);
  if (!("cutAt" in first)) return first;
  const { roomTokens, messages } = first;
  const next = roomTokens && (yield* attemptSummary(world, { ...task, messages, roomTokens }, signal, mostAttempts));
  if (signal.aborted && signal.reason !== timeLimitReason) return abortedSummary;
  if (next && "ok" in next && next.ok) return next;
  const cut = next && "cutAt" in next && next.text !== "" ? next : first;
  const why = `its summary was cut at ${cut.cutAt} tokens`;
  if (cut.text === "") return { ok: false, why: `${why}, before its first word`, kind: "failed" };
  const notice = `The conversation was compacted, but ${why}: what it would have said last is missing.`;
  yield newNotice(world, "warning", "summary_cut", notice);
  return { ok: true, text: `${cut.text}\n\n${cutText}` };
}

/** `roomTokens`: absent if model, window or budget allow no more than it had. */
interface CutSummary {
  text: string;
  cutAt: number;
  messages: readonly Message[];
  roomTokens?: number;
}

const cutStopReasons: ReadonlySet<string | null> = new Set(["max_tokens", "model_context_window_exceeded"]);

const mostAttempts = 8;

/** Makes attempts until a summary, a cut or a final failure. `before`: how many attempts were made already; keys continue from there. */
async function* attemptSummary(
  world: World,
  task: SummaryTask,
  signal: AbortSignal,
  before = 0,
): AsyncGenerator<ContextEvent, Summary | CutSummary> {
  const attempts: Attempts = { remaining: mostAttempts, drops: 3, retries: 0, strips: 1, media: 1, fields: 3 };
  let messages = fitMessages(world, task);
  for (let number = before; attempts.remaining > 0; number++) {
    attempts.remaining--;
    if (signal.aborted) return abortedSummary;
    const request = createRequest(world, task, messages, `${task.key}.compact.${number}`);
    const admission = await admitCall(world, request, messages, requestTokensOf(world, task, messages), signal);
    if (signal.aborted) return abortedSummary;
    if (!admission.admitted) return { ok: false, why: admission.message, kind: "unpaid" };
    const { maxTokens, lowered } = admission;
    const answer = await callModel(world, { ...request, maxTokens }, admission.ticket, signal);
    if (signal.aborted) return abortedSummary;
    if (answer.outcome.ok && cutStopReasons.has(answer.outcome.stopReason)) {
      const room = lowered ? 0 : Math.min(2 * maxTokens, task.model.maxOutputTokens, Math.floor(task.window / 2));
      const cut = { text: answer.text.trim(), cutAt: maxTokens, messages };
      return room > maxTokens ? { ...cut, roomTokens: room } : cut;
    }
    if (answer.outcome.ok) return judgeSummary(answer.text, answer.outcome);
    const next = nextAttempt(world, task, messages, answer.outcome.failure, attempts);
    if (next === undefined) return { ok: false, why: answer.outcome.failure.message, kind: "failed" };
    if (next.waitMs > 0) {
      yield { type: "waiting", key: request.key, on: "retry", name: "summary", limitMs: next.waitMs };
      await pause(world.clock, next.waitMs, signal);
    }
    messages = next.messages;
  }
  return { ok: false, why: "too many attempts at a summary failed", kind: "failed" };
}

const abortedSummary: Summary = { ok: false, why: "interrupted", kind: "aborted" };

function judgeSummary(text: string, outcome: Extract<ModelOutcome, { ok: true }>): Summary {
  if (outcome.stopReason === "refusal") return { ok: false, why: "the model refused to summarise", kind: "failed" };
  // Text before a call is about that call; it would wrongly represent the whole conversation.
  if (outcome.stopReason === "tool_use" && !isWholeSummary(text))
    return { ok: false, why: "the model went on working instead", kind: "failed" };
  const trimmed = text.trim();
  return trimmed === ""
    ? { ok: false, why: "the model answered without a summary", kind: "failed" }
    : { ok: true, text: trimmed };
}

/** Shortens what certainly does not fit, so that the first attempt can succeed. */
function fitMessages(world: World, task: SummaryTask): readonly Message[] {
  const over = requestTokensOf(world, task, task.messages) + outputRange(world, task).minTokens - task.window;
  return over <= 0 ? task.messages : (shrinkToFit({ world, ...task }, task.messages, over) ?? task.messages);
}

function requestTokensOf(world: World, task: SummaryTask, messages: readonly Message[]): number {
  return wholeTokens(messages, task.fixedTokens, world.memory.scale);
}

function createRequest(world: World, task: SummaryTask, messages: readonly Message[], key: string): ModelRequest {
  const instruction = metaMessage(world, summaryInstruction(task.extra));
  const isMissed = world.memory.modelsNeedingUnsigned.has(task.model.id);
  const api = world.toApi([...messages, instruction], { model: task.model, isMissed });
  const { minTokens, maxTokens: most } = outputRange(world, task);
  const maxTokens = Math.min(most, Math.max(minTokens, task.window - requestTokensOf(world, task, messages)));
  const { id: model } = task.model;
  const thinking = thinkingForRequest(world, task, [messages, api.messages]);
  return { ...world.requestBase(model), thinking, ...api, model, maxTokens, querySource: "compaction", key };
}

/** Returns the range of output tokens: at least what a short summary needs, at most what is allowed. A fixed thinking budget is added. */
export function outputRange(world: World, task: SummaryTask): { minTokens: number; maxTokens: number } {
  const { model, window } = task;
  const thinking = thinkingWithinBudget(world, task);
  const budget = thinking.type === "enabled" ? thinking.budgetTokens : 0;
  const wanted = Math.min(world.policy.summaryMaxTokens, Math.max(1_024, Math.floor(window / 4)));
  const room = task.roomTokens ?? 0;
  const maxTokens = Math.min(model.maxOutputTokens, Math.max(room, budget + wanted));
  return { minTokens: Math.min(maxTokens, Math.max(room, budget + Math.min(wanted, 4_000))), maxTokens };
}

/** Returns what to send instead, or undefined if nothing is left to try. */
function nextAttempt(
  world: World,
  task: SummaryTask,
  messages: readonly Message[],
  failure: ModelFailure,
  attempts: Attempts,
): { messages: readonly Message[]; waitMs: number } | undefined {
  switch (failure.recovery) {
    case "overflow": {
      if (failure.tokens !== undefined) recordWindow(world, task.model.id, failure.tokens);
      if (attempts.drops-- <= 0) return undefined;
      const over =
        failure.tokens?.actual === undefined
          ? 0
          : failure.tokens.actual - failure.tokens.maximum + outputRange(world, task).minTokens;
      const fewer = shrinkToFit({ world, ...task }, messages, Math.max(over, spanTokens(messages) / 4));
      return fewer === undefined ? undefined : { messages: fewer, waitMs: 0 };
    }
    case "media":
      return attempts.media-- > 0
        ? { messages: withoutAllMedia(world, messages, task.model, "the API refused it"), waitMs: 0 }
        : undefined;
    case "thinking":
      if (learnToSendUnsigned(world, task.model, messages, failure) || learnToSkipThinking(world, task.model, failure))
        return { messages, waitMs: 0 };
      return attempts.strips-- > 0 ? { messages: [...messages, strippedThinkingMark(world)], waitMs: 0 } : undefined;
    case "block": {
      // Ends by itself: each time fewer kinds are left.
      const types = refusedKinds(messages, failure);
      return types.length > 0 ? { messages: [...messages, leftOutMark(world, types)], waitMs: 0 } : undefined;
    }
    case "field":
      return attempts.fields-- > 0 ? { messages, waitMs: 0 } : undefined;
    case "retry": {
      const waitMs = retryWaitMs(failure, attempts.retries++, mostRetries);
      return waitMs === undefined ? undefined : { messages, waitMs };
    }
    case "summary":
    case "output":
    case "fallback":
    case "none":
      return undefined;
    default:
      return failure.recovery satisfies never;
  }
}

/** Replaces every image and document by a line with the reason. Returns `messages` itself if there are none. */
export function withoutAllMedia(
  world: World,
  messages: readonly Message[],
  model: ModelInfo,
  why: string,
): readonly Message[] {
  const next = messages.map((message) => withoutMedia(message, why));
  const first = next.findIndex((message, at) => message !== messages[at]);
  if (first < 0) return messages;
  return bindsThinking(next.slice(first), model) ? [...next, strippedThinkingMark(world)] : next;
}
