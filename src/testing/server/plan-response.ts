/** Makes one response from a chosen reply: blocks, limits, faults, usage, then the stream or the single body. */
import { composeBlocks, finishedBlock, type OutgoingBlock } from "../reply/compose.ts";
import { applyContentFault, type DraftResponse } from "../reply/content-faults.ts";
import { toSummaryReply, onlySummary } from "../reply/summary.ts";
import { applyLimits, applyStopSequences, type StoppedBlocks } from "../reply/limits.ts";
import { streamEvents, type ResponseHead, type StreamEvent } from "../reply/events.ts";
import type { CacheFigures } from "../billing/cache.ts";
import type { ModelTraits } from "../models.ts";
import type { Fault } from "../script/faults.ts";
import type { RequestView } from "../script/request-view.ts";
import type { Pace, Reply } from "../script/types.ts";
import { asksForSummary } from "../validate/compaction.ts";
import { isThinkingOn } from "../validate/model-rules.ts";
import type { Transformation } from "../validate/thinking.ts";
import type { Prompt } from "../wire/prompt.ts";
import { type JsonObject, type WireBlock, type WireRequest, type WireUsage } from "../wire/types.ts";
import { UsageMeter, usageForAnthropic, usageForCompatible, usageForSummary } from "./accounting.ts";

export interface ResponseInput {
  reply: Reply;
  fault: Fault | undefined;
  request: RequestView;
  prompt: Prompt;
  traits: ModelTraits;
  figures: CacheFigures;
  window: number;
  bytesPerToken: number;
  isCompatible: boolean;
  defaultPace: Pace;
  transformations: Transformation[];
  id: string;
  /** For the blocks' own ids. */
  nextId: (prefix: string) => string;
}

export interface PlannedResponse {
  id: string;
  stopReason: string;
  blocks: OutgoingBlock[];
  pace: Pace;
  meter: UsageMeter;
  isFree: boolean;
  /** The script's own response headers. */
  headers: Record<string, string>;
  /** Filled only if the request asked for a stream. */
  events: StreamEvent[];
  /** The JSON body if it did not ask for a stream. */
  body: string;
}

export function planResponse(input: ResponseInput): PlannedResponse {
  const { id, reply, request, bytesPerToken } = input;
  const draft = draftResponse(input);
  const meter = new UsageMeter({
    body: request.body,
    figures: input.figures,
    outputBytes: draft.spentBytes ?? (totalBilledBytes(draft.blocks) || emptyOutputBytes(request.body, bytesPerToken)),
    bytesPerToken,
    override: reply.usage,
  });
  const usage = meter.finalUsage;
  const head: ResponseHead = {
    id,
    model: reply.model ?? request.model,
    usage,
    stopReason: draft.stopReason,
    stopSequence: (draft.stopReason === "stop_sequence" ? draft.stopSequence : undefined) ?? reply.stopSequence ?? null,
    extras: extrasOf(input),
  };
  if (draft.stopDetails !== undefined) head.stopDetails = draft.stopDetails;
  else if (!input.isCompatible) head.stopDetails = null;
  const shownUsage = shownUsageOf(input);
  const isStream = request.body.stream === true;
  const options = {
    deltaCharacters: draft.pace.deltaCharacters ?? 64,
    extraEvents: reply.extraEvents ?? [],
    shownUsage,
  };
  return {
    id,
    stopReason: draft.stopReason,
    blocks: draft.blocks,
    pace: draft.pace,
    meter,
    isFree: draft.isFree === true,
    headers: reply.headers ?? {},
    events: isStream ? streamEvents(head, draft.blocks, options) : [],
    body: isStream ? "" : JSON.stringify(wholeMessage(head, draft.blocks, shownUsage)),
  };
}

/** Reduces the usage to what the endpoint reports. */
function shownUsageOf({ isCompatible, request }: ResponseInput): (usage: WireUsage) => JsonObject {
  if (isCompatible) return usageForCompatible;
  return asksForSummary(request.body) ? usageForSummary : usageForAnthropic;
}

function totalBilledBytes(blocks: readonly OutgoingBlock[]): number {
  return blocks.reduce((sum, block) => sum + block.billedBytes, 0);
}

/** An empty answer still costs the two or three tokens that end it; a pre-warming call (`max_tokens: 0`) costs none. */
function emptyOutputBytes(body: WireRequest, bytesPerToken: number): number {
  return body.max_tokens === 0 ? 0 : Math.floor(2 * bytesPerToken);
}

function draftResponse(input: ResponseInput): DraftResponse {
  const { request, prompt, traits, fault, bytesPerToken } = input;
  const { body } = request;
  const isSummary = !input.isCompatible && asksForSummary(body);
  const reply = isSummary ? toSummaryReply(input.reply, request) : input.reply;
  const isOn = input.isCompatible || isThinkingOn(body as never, traits);
  const display = body.thinking?.display ?? traits.thinking.defaultDisplay;
  const composed = composeBlocks(reply, {
    request,
    prompt,
    traits,
    responseId: input.id,
    thinking: { isOn, isShown: input.isCompatible || display !== "omitted" },
    nextId: input.nextId,
  });
  const left = input.window - input.figures.promptTokens;
  const stopped: StoppedBlocks = isSummary
    ? { blocks: composed }
    : applyStopSequences(composed, body["stop_sequences"]);
  const limited = applyLimits(stopped.blocks, body.max_tokens, left, bytesPerToken);
  const ended = isSummary
    ? onlySummary(limited.blocks, limited.stopReason ?? reply.stopReason)
    : {
        blocks: limited.blocks,
        stopReason:
          limited.stopReason ??
          (stopped.sequence === undefined ? reply.stopReason : "stop_sequence") ??
          defaultStopReason(limited.blocks),
      };
  const draft: DraftResponse = {
    ...ended,
    pace: { ...input.defaultPace, ...reply.pace },
  };
  if (stopped.sequence !== undefined) draft.stopSequence = stopped.sequence;
  // The tokens of a summary that was dropped are billed all the same.
  if (isSummary && draft.blocks.length === 0) draft.spentBytes = totalBilledBytes(limited.blocks);
  if (reply.stopDetails !== undefined) draft.stopDetails = reply.stopDetails;
  if (draft.stopReason === "refusal" && draft.blocks.length === 0) draft.isFree = true;
  return fault === undefined ? draft : applyContentFault(fault, draft);
}

function defaultStopReason(blocks: OutgoingBlock[]): string {
  if (blocks.some((block) => block.start.type === "tool_use")) return "tool_use";
  if (blocks.at(-1)?.start.type === "compaction") return "compaction";
  return "end_turn";
}

function extrasOf(input: ResponseInput): JsonObject {
  if (input.transformations.length === 0) return {};
  return { input_transformations: input.transformations.map((entry) => ({ ...entry })) };
}

function wholeMessage(
  head: ResponseHead,
  blocks: OutgoingBlock[],
  shownUsage: (usage: WireUsage) => JsonObject,
): Record<string, unknown> {
  const content: WireBlock[] = blocks.map(finishedBlock);
  const message: Record<string, unknown> = {
    id: head.id,
    type: "message",
    role: "assistant",
    model: head.model,
    content,
    stop_reason: head.stopReason,
    stop_sequence: head.stopSequence,
    usage: shownUsage(head.usage),
    ...head.extras,
  };
  if (head.stopDetails !== undefined) message["stop_details"] = head.stopDetails;
  return message;
}
