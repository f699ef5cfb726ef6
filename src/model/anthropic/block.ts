/** One content block while it streams: its start, the deltas folded into it, and the finished block. */
import { findRoundedInteger } from "../../lib/rounded-integer.ts";
import type { ContentBlock, TextBlock, ThinkingBlock, ToolUseBlock } from "../../protocol/message.ts";
import { isServerCall } from "../../protocol/server-call.ts";
import {
  callIdOf,
  inputJson,
  inputJsonPiece,
  readInput,
  newThinkingText,
  newSignature,
  type ParsedInput,
} from "./odd-blocks.ts";
import { stringOrEmpty } from "../../lib/string-or-empty.ts";

export interface OpenBlock {
  index: number;
  /** Its place among all blocks that began; an index may be reused. */
  order: number;
  /** The block as it started. A copy, because the event itself goes to clients. */
  wire: Record<string, unknown>;
  text: string;
  thinking: string;
  /** The thinking text that came with the block's start, until a delta comes. */
  initialThinking: string;
  signature: string;
  json: string;
  /** The index under which its input comes, if that is not the block's own. */
  inputIndex?: number;
  citations: unknown[] | undefined;
}

export interface FinishedBlock {
  block: ContentBlock;
  /** The doubt about a tool call's input. */
  doubt?: ParsedInput["doubt"];
  /** The input as it came, if it is invalid. */
  raw?: string;
}

export function openBlock(index: number, start: Record<string, unknown>, order: number): OpenBlock {
  const thinking = stringOrEmpty(start["thinking"]);
  return {
    index,
    order,
    wire: { ...start },
    text: stringOrEmpty(start["text"]),
    thinking,
    initialThinking: thinking,
    signature: stringOrEmpty(start["signature"]),
    json: "",
    citations: Array.isArray(start["citations"]) && start["citations"].length > 0 ? [...start["citations"]] : undefined,
  };
}

/** Applies a delta. An unknown kind of delta changes nothing: clients get it raw. */
export function applyDelta(block: OpenBlock, delta: Record<string, unknown>): void {
  switch (delta["type"]) {
    case "text_delta":
      block.text += stringOrEmpty(delta["text"]);
      return;
    case "thinking_delta":
      block.thinking += newThinkingText(block, delta["thinking"]);
      return;
    case "input_json_delta":
      block.json += inputJsonPiece(delta["partial_json"]);
      return;
    case "signature_delta":
      block.signature += newSignature(block, delta["signature"]);
      return;
    case "citations_delta":
      if (delta["citation"] !== undefined) (block.citations ??= []).push(delta["citation"]);
      return;
    case "compaction_delta":
      applyCompaction(block, delta);
      return;
  }
}

/** Comes once and holds the summary and its signature; `content` is null if summarizing failed. */
function applyCompaction({ wire }: OpenBlock, delta: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(delta)) {
    const before = wire[field];
    if (field === "type") continue;
    wire[field] = typeof before === "string" && typeof value === "string" ? before + value : value;
  }
}

/** Returns undefined if nothing is left that may be sent back: the API refuses empty text. */
export function finishBlock(block: OpenBlock, fallbackId: string): FinishedBlock | undefined {
  switch (block.wire["type"]) {
    case "text":
      return block.text === "" ? undefined : { block: textBlock(block) };
    case "thinking":
      return { block: thinkingBlock(block) };
    case "redacted_thinking":
      return { block: { type: "redacted_thinking", data: stringOrEmpty(block.wire["data"]) } };
    case "tool_use":
      return finishToolUse(block, fallbackId);
    default:
      return finishOpaque(block);
  }
}

function textBlock({ text, citations }: OpenBlock): TextBlock {
  return citations === undefined ? { type: "text", text } : { type: "text", text, citations };
}

function thinkingBlock({ thinking, signature }: OpenBlock): ThinkingBlock {
  return signature === "" ? { type: "thinking", thinking } : { type: "thinking", thinking, signature };
}

function finishToolUse(block: OpenBlock, fallbackId: string): FinishedBlock {
  const { id, name, input: started, type: _, ...rest } = block.wire;
  const json = inputJson(block.json, started);
  // What runs must be what the model said: with a rounded id, another row would be affected.
  const input: ParsedInput =
    findRoundedInteger(json) === undefined ? readInput(json, started) : { value: {}, doubt: "invalid" };
  const toolUse: ToolUseBlock = {
    type: "tool_use",
    id: callIdOf(id, fallbackId),
    name: stringOrEmpty(name),
    input: input.value,
    // The API's other fields, such as `caller`, go back as they came.
    ...rest,
  };
  if (input.doubt === "invalid") return { block: toolUse, doubt: "invalid", raw: json };
  return { block: toolUse, doubt: input.doubt };
}

/** A server-side or unknown block: known deltas are folded in, the rest stays as it came. */
function finishOpaque(block: OpenBlock): FinishedBlock {
  const { wire } = block;
  if (block.text !== "") wire["text"] = block.text;
  if (block.thinking !== "") wire["thinking"] = block.thinking;
  if (block.signature !== "") wire["signature"] = block.signature;
  if (block.citations !== undefined) wire["citations"] = block.citations;
  const opaque: ContentBlock = { type: "opaque", wire };
  const takesInput = block.json !== "" || isServerCall(wire);
  if (!takesInput) return { block: opaque };
  const input = readInput(block.json, wire["input"]);
  wire["input"] = input.value;
  return input.doubt === undefined ? { block: opaque } : { block: opaque, doubt: input.doubt };
}
