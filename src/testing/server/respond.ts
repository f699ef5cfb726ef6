/** Makes one response from a chosen reply: blocks, limits, faults, usage, then the stream or the single body. */
import { composeBlocks, finishedBlock, type OutgoingBlock } from "../reply/compose.ts";
import { applyContentFault, type Said } from "../reply/faulty.ts";
import { asSummary, summaryAlone } from "../reply/summary.ts";
import { applyLimits, applyStops, type Stopped } from "../reply/limits.ts";
import { streamEvents, type ResponseHead, type StreamEvent } from "../reply/events.ts";
import type { CacheFigures } from "../billing/cache.ts";
import type { ModelTraits } from "../models.ts";
import type { Fault } from "../script/faults.ts";
import type { RequestView } from "../script/request-view.ts";
import type { Pace, Reply } from "../script/types.ts";
import { asksForSummary } from "../validate/compaction.ts";
import { thinks } from "../validate/model-rules.ts";
import type { Transformation } from "../validate/thinking.ts";
import type { Prompt } from "../wire/prompt.ts";
import { type JsonObject, type WireBlock, type WireRequest, type WireUsage } from "../wire/types.ts";
import { Meter, usageForAnthropic, usageForCompatible, usageOfSummary } from "./accounting.ts";

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
  meter: Meter;
  isFree: boolean;
  /** The script's own response headers. */
  headers: Record<string, string>;
  /** Filled only if the request asked for a stream. */
  events: StreamEvent[];
  /** The JSON body if it did not ask for a stream. */
  body: string;
}

export function planResponse(input: ResponseInput): PlannedResponse {
  const { reply, request, bytesPerToken } = input;
  const { id } = input;
  const said = say(input, id);
  const meter = new Meter({
    body: request.body,
    figures: input.figures,
    outputBytes: said.spentBytes ?? (bytesOf(said.blocks) || emptyOutputBytes(request.body, bytesPerToken)),
    bytesPerToken,
    override: reply.usage,
  });
  const usage = meter.final;
  const head: ResponseHead = {
    id,
    model: reply.model ?? request.model,
    usage,
    stopReason: said.stopReason,
    stopSequence: (said.stopReason === "stop_sequence" ? said.stopSequence : undefined) ?? reply.stopSequence ?? null,
    extras: extrasOf(input),
  };
  if (said.stopDetails !== undefined) head.stopDetails = said.stopDetails;
  else if (!input.isCompatible) head.stopDetails = null;
  const shownUsage = input.isCompatible
    ? usageForCompatible
    : asksForSummary(request.body)
      ? usageOfSummary
      : usageForAnthropic;
  const isStream = request.body.stream === true;
  const options = {
    deltaCharacters: said.pace.deltaCharacters ?? 64,
    extraEvents: reply.extraEvents ?? [],
    shownUsage,
  };
  return {
    id,
    stopReason: said.stopReason,
    blocks: said.blocks,
    pace: said.pace,
    meter,
    isFree: said.isFree === true,
    headers: reply.headers ?? {},
    events: isStream ? streamEvents(head, said.blocks, options) : [],
    body: isStream ? "" : JSON.stringify(wholeMessage(head, said.blocks, shownUsage)),
  };
}

function bytesOf(blocks: readonly OutgoingBlock[]): number {
  return blocks.reduce((sum, block) => sum + block.billedBytes, 0);
}

/** An empty answer still costs the two or three tokens that end it; a pre-warming call (`max_tokens: 0`) costs none. */
function emptyOutputBytes(body: WireRequest, bytesPerToken: number): number {
  return body.max_tokens === 0 ? 0 : Math.floor(2 * bytesPerToken);
}

function say(input: ResponseInput, responseId: string): Said {
  const { request, prompt, traits, fault, bytesPerToken } = input;
  const { body } = request;
  const isSummary = !input.isCompatible && asksForSummary(body);
  const reply = isSummary ? asSummary(input.reply, request) : input.reply;
  const isOn = input.isCompatible || thinks(body as never, traits);
  const display = body.thinking?.display ?? traits.thinking.defaultDisplay;
  const composed = composeBlocks(reply, {
    request,
    prompt,
    traits,
    responseId,
    thinking: { isOn, isShown: input.isCompatible || display !== "omitted" },
    nextId: input.nextId,
  });
  const left = input.window - input.figures.promptTokens;
  const stopped: Stopped = isSummary ? { blocks: composed } : applyStops(composed, body["stop_sequences"]);
  const limited = applyLimits(stopped.blocks, body.max_tokens, left, bytesPerToken);
  const ended = isSummary
    ? summaryAlone(limited.blocks, limited.stopReason ?? reply.stopReason)
    : {
        blocks: limited.blocks,
        stopReason:
          limited.stopReason ??
          (stopped.sequence === undefined ? reply.stopReason : "stop_sequence") ??
          defaultStopReason(limited.blocks),
      };
  const said: Said = {
    ...ended,
    pace: { ...input.defaultPace, ...reply.pace },
  };
  if (stopped.sequence !== undefined) said.stopSequence = stopped.sequence;
  // The tokens of a summary that was dropped are billed all the same.
  if (isSummary && said.blocks.length === 0) said.spentBytes = bytesOf(limited.blocks);
  if (reply.stopDetails !== undefined) said.stopDetails = reply.stopDetails;
  if (said.stopReason === "refusal" && said.blocks.length === 0) said.isFree = true;
  return fault === undefined ? said : applyContentFault(fault, said);
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
