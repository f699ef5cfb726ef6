/** Faults that change the reply itself: its blocks, stop reason and pacing. */
import type { Fault } from "../script/faults.ts";
import type { Pace } from "../script/types.ts";
import type { JsonObject } from "../wire/types.ts";
import type { OutgoingBlock } from "./compose.ts";
import { cutBlock, firstBytes } from "./limits.ts";

export interface DraftResponse {
  blocks: OutgoingBlock[];
  stopReason: string;
  /** The sequence that ended the response, if the stop reason is `stop_sequence`. */
  stopSequence?: string;
  stopDetails?: JsonObject;
  pace: Pace;
  /** Output that is charged, if it differs from the blocks' output. */
  spentBytes?: number;
  /** Nothing is charged: the model refused before producing output. */
  isFree?: boolean;
}

export function applyContentFault(fault: Fault, draft: DraftResponse): DraftResponse {
  switch (fault.kind) {
    case "invalid_tool_json":
      return {
        ...draft,
        blocks: changeLastTool(draft.blocks, (block) => ({ ...block, payload: brokenJson(block.payload) })),
      };
    case "max_tokens_in_tool":
      return maxTokensInTool(draft);
    case "duplicate_tool_ids":
      return { ...draft, blocks: withDuplicateId(draft.blocks) };
    case "empty":
      return { ...draft, blocks: [], stopReason: "end_turn" };
    case "refusal":
      return refuseReply(fault, draft);
    case "pause_turn":
      return { ...draft, stopReason: "pause_turn" };
    case "window_exceeded":
      return { ...draft, blocks: cutLastBlock(draft.blocks), stopReason: "model_context_window_exceeded" };
    case "split_utf8":
      return { ...draft, pace: { ...draft.pace, bytesPerChunk: 1 } };
    case "slow_drip":
      return { ...draft, pace: { ...draft.pace, deltaCharacters: 1, delayMs: draft.pace.delayMs ?? 20 } };
    default:
      return draft;
  }
}

function changeLastTool(blocks: OutgoingBlock[], change: (block: OutgoingBlock) => OutgoingBlock): OutgoingBlock[] {
  const index = blocks.findLastIndex((block) => block.start.type === "tool_use");
  return index < 0 ? blocks : blocks.with(index, change(blocks[index] as OutgoingBlock));
}

/**
 * Cuts the JSON in the middle, as eager input streaming may. If only the last brace were missing, a client that reads unfinished
 * JSON, like the official SDKs, would still get the whole input.
 */
function brokenJson(payload: string): string {
  return payload.length > 2 ? firstBytes(payload, Buffer.byteLength(payload) >> 1) : '{"';
}

/** Ends the response inside its last tool call and drops everything after it. */
function maxTokensInTool(draft: DraftResponse): DraftResponse {
  const index = draft.blocks.findLastIndex((block) => block.start.type === "tool_use");
  const block = draft.blocks[index];
  if (block === undefined) return { ...draft, blocks: cutLastBlock(draft.blocks), stopReason: "max_tokens" };
  const bytes = Math.max(1, Math.floor(block.billedBytes / 2));
  return { ...draft, blocks: [...draft.blocks.slice(0, index), cutBlock(block, bytes)], stopReason: "max_tokens" };
}

function cutLastBlock(blocks: OutgoingBlock[]): OutgoingBlock[] {
  const last = blocks.at(-1);
  if (last === undefined) return blocks;
  return [...blocks.slice(0, -1), cutBlock(last, Math.max(1, Math.floor(last.billedBytes / 2)))];
}

/** The second tool call gets the first one's id; a lone call is sent twice. */
function withDuplicateId(blocks: OutgoingBlock[]): OutgoingBlock[] {
  const calls = blocks.filter((block) => block.start.type === "tool_use");
  const [first, second] = calls;
  if (first === undefined) return blocks;
  if (second === undefined) return blocks.flatMap((block) => (block === first ? [block, { ...block }] : [block]));
  const id = first.start["id"];
  return blocks.map((block) => (block === second ? { ...block, start: { ...block.start, id } } : block));
}

function refuseReply(fault: Extract<Fault, { kind: "refusal" }>, draft: DraftResponse): DraftResponse {
  const explanation = fault.explanation ?? "This request was declined.";
  const stopDetails = { type: "refusal", category: fault.category ?? "general_harms", explanation };
  const blocks = fault.afterOutput === true ? cutLastBlock(draft.blocks) : [];
  return { ...draft, blocks, stopReason: "refusal", stopDetails, isFree: blocks.length === 0 };
}
