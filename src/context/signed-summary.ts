/**
 * A summary that the API writes and signs on request: one block that replaces exactly the messages it was made of, so that the thinking
 * kept after them stays valid. If the API has none, our own summary is the next best.
 */
import type { ContextEvent, Message, ModelFailure, ModelInfo, ModelRequest } from "../protocol/index.ts";
import { headOf } from "../lib/text-cut.ts";
import { summaryInstruction } from "./instructions.ts";
import type { World } from "./layer.ts";
import { wholeTokens } from "./measure.ts";
import { admitCall, callModel, retryWaitMs, type SummaryAnswer } from "./model-call.ts";
import { pause } from "../lib/pause.ts";
import { createBoundary, hasBoundThinking } from "./rewrite.ts";
import { strippedThinkingMark } from "../protocol/new-record.ts";
import { recordWindow } from "./known-windows.ts";
import { outputRange, type SummaryTask } from "./summarize.ts";
import { thinkingForRequest } from "./summary-thinking.ts";

export type SignedSummary =
  | { ok: true; text: string; block: Record<string, unknown> }
  /** `refused`: not requested again in this session. */
  | { ok: false; why: string; kind: "refused" | "failed" | "unpaid" | "aborted" };

const mostRetries = 2;
/** The API accepts no longer ones. */
const longestInstructions = 16_384;
/** Statuses of servers that do not know the parameter. */
const unknownParameterStatuses = new Set([400, 404, 405, 422, 501]);

/** Requests a signed summary. `task.messages` are sent unchanged, and the block replaces them. */
export async function* requestSignedSummary(
  world: World,
  task: SummaryTask,
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, SignedSummary> {
  const tokens = wholeTokens(task.messages, task.fixedTokens, world.memory.scale);
  const { minTokens, maxTokens: most } = outputRange(world, task);
  if (tokens + minTokens > task.window) return { ok: false, why: "it does not fit the window", kind: "failed" };
  const maxTokens = Math.min(most, task.window - tokens);
  for (let number = 0; ; number++) {
    if (signal.aborted) return abortedSummary;
    const request = createRequest(world, task, maxTokens, `${task.key}.compact.signed.${number}`);
    // There is only the earlier summary, which the API would refuse to summarise.
    if (request.messages.every(({ role }) => role === "assistant"))
      return { ok: false, why: "there is nothing new to summarise", kind: "failed" };
    const admission = await admitCall(world, request, task.messages, tokens, signal);
    if (signal.aborted) return abortedSummary;
    if (!admission.admitted) return { ok: false, why: admission.message, kind: "unpaid" };
    const answer = await callModel(world, { ...request, maxTokens: admission.maxTokens }, admission.ticket, signal);
    if (signal.aborted) return abortedSummary;
    if (answer.outcome.ok) return readSignedSummary(answer, answer.outcome.stopReason);
    const { failure } = answer.outcome;
    const waitMs = retryWaitMs(failure, number, mostRetries);
    if (waitMs === undefined) return failedSignedSummary(world, task, failure);
    yield { type: "waiting", key: request.key, on: "retry", name: "summary", limitMs: waitMs };
    await pause(world.clock, waitMs, signal);
  }
}

const abortedSummary: SignedSummary = { ok: false, why: "interrupted", kind: "aborted" };

function createRequest(world: World, task: SummaryTask, maxTokens: number, key: string): ModelRequest {
  const { messages, cacheBreakpoints } = world.toApi(task.messages, { model: task.model, openEnd: true });
  // The server's own instructions are the best, and ours would replace them.
  const isPlain = task.extra.every((text) => text.trim() === "");
  const compaction = isPlain ? {} : { instructions: headOf(summaryInstruction(task.extra), longestInstructions) };
  const own = { messages, cacheBreakpoints, compaction, model: task.model.id, maxTokens, key };
  const thinking = thinkingForRequest(world, task, [task.messages, messages]);
  return { ...world.requestBase(task.model.id), ...own, thinking, querySource: "compaction" };
}

function readSignedSummary({ compaction: block, blocks }: SummaryAnswer, stopReason: string | null): SignedSummary {
  const text = block?.["content"];
  if (block !== undefined && typeof text === "string" && text.trim() !== "")
    return { ok: true, text: text.trim(), block };
  // If no summary can be made, the content is empty. Anything else is a reply, from a server that ignored the parameter.
  if (blocks > 0) return { ok: false, why: "the server replied instead of writing a summary", kind: "refused" };
  return { ok: false, why: `the API wrote no summary (${stopReason ?? "no reason given"})`, kind: "failed" };
}

function failedSignedSummary(world: World, task: SummaryTask, failure: ModelFailure): SignedSummary {
  if (failure.tokens !== undefined) recordWindow(world, task.model.id, failure.tokens);
  const isAboutThis = failure.recovery === "summary" || failure.recovery === "none" || failure.recovery === "fallback";
  const isUnknown = isAboutThis && unknownParameterStatuses.has(failure.status ?? 0);
  return { ok: false, why: failure.message, kind: isUnknown ? "refused" : "failed" };
}

/** Returns the conversation with its signed summary as plain text; undefined if it has none. */
export function withoutSignature(
  world: World,
  messages: readonly Message[],
  model: ModelInfo,
): { messages: Message[]; records: Message[] } | undefined {
  const [first, ...rest] = messages;
  if (first?.type !== "user" || first.compactionBlock === undefined) return undefined;
  world.memory.signedRefused.add(model.id);
  const { compactionBlock: _, ...plain } = first;
  const next: Message[] = [
    { ...plain, uuid: world.ids.uuid() },
    ...rest.filter((message) => message.type !== "response_end"),
  ];
  if (hasBoundThinking(next, model)) next.push(strippedThinkingMark(world));
  const [preTokens, postTokens] = [messages, next].map((each) => wholeTokens(each, 0, world.memory.scale));
  const figures = { trigger: "reactive" as const, preTokens: preTokens ?? 0, postTokens: postTokens ?? 0 };
  return { messages: next, records: [createBoundary(world, { ...figures, lastSummarizedUuid: null }, next)] };
}
