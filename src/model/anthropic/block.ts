/** One content block while it streams: its start, the deltas folded into it, and the block it becomes. */
import { deepestValue, isDeeperThan } from "../../lib/is-deeper.ts";
import type { ContentBlock, TextBlock, ThinkingBlock, ToolUseBlock } from "../../protocol/message.ts";
import { isServerCall } from "../../protocol/server-call.ts";
import { isRecord } from "../../lib/is-record.ts";

export interface OpenBlock {
  index: number;
  /** Its place among the blocks that began; an index may be used again. */
  order: number;
  /** The block as it started: a copy, since the event itself goes to clients. */
  wire: Record<string, unknown>;
  text: string;
  thinking: string;
  /** What its start told of a thought, until a delta comes: LiteLLM tells the first piece twice, there and as a delta. */
  foretold: string;
  signature: string;
  json: string;
  /** Under which its input comes, where that is not its own. */
  inputIndex?: number;
  citations: unknown[] | undefined;
}

export interface Finished {
  block: ContentBlock;
  /** `empty`: a call without a byte of input, complete or cut. `invalid`: its input is not a JSON object. */
  doubt?: "empty" | "invalid";
  /** The input as it came, where it is invalid. */
  raw?: string;
}

export function openBlock(index: number, start: Record<string, unknown>, order: number): OpenBlock {
  const thinking = stringOf(start["thinking"]);
  return {
    index,
    order,
    wire: { ...start },
    text: stringOf(start["text"]),
    thinking,
    foretold: thinking,
    signature: stringOf(start["signature"]),
    json: "",
    citations: Array.isArray(start["citations"]) && start["citations"].length > 0 ? [...start["citations"]] : undefined,
  };
}

/** Words of an answer among thoughts, or the other way round: the block that is open would lose them. A piece without a word has none. */
export function isMisplaced({ wire }: OpenBlock, { type, text, thinking }: Record<string, unknown>): boolean {
  if (wire["type"] === "thinking") return type === "text_delta" && stringOf(text) !== "";
  return wire["type"] === "text" && type === "thinking_delta" && stringOf(thinking) !== "";
}

/** A delta of a kind nobody knows changes nothing: clients get it raw. */
export function applyDelta(block: OpenBlock, delta: Record<string, unknown>): void {
  switch (delta["type"]) {
    case "text_delta":
      block.text += stringOf(delta["text"]);
      return;
    case "thinking_delta":
      block.thinking += news(block, delta["thinking"]);
      return;
    case "input_json_delta":
      block.json += jsonOf(delta["partial_json"]);
      return;
    case "signature_delta":
      // LiteLLM tells it at the start as well, where nothing but it is told of a thought.
      if (delta["signature"] !== block.wire["signature"]) block.signature += stringOf(delta["signature"]);
      return;
    case "citations_delta":
      if (delta["citation"] !== undefined) (block.citations ??= []).push(delta["citation"]);
      return;
    case "compaction_delta":
      applyCompaction(block, delta);
      return;
  }
}

/** White space alone may well come twice. So may a word of an answer, which no server tells so: `2`, `2` is 22. */
function news(block: OpenBlock, piece: unknown): string {
  const isTold = block.foretold.trim() !== "" && piece === block.foretold;
  block.foretold = "";
  return isTold ? "" : stringOf(piece);
}

/** Comes once and holds the summary and its signature; `content` is null where the summary failed. */
function applyCompaction({ wire }: OpenBlock, delta: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(delta)) {
    const before = wire[field];
    if (field === "type") continue;
    wire[field] = typeof before === "string" && typeof value === "string" ? before + value : value;
  }
}

/** Undefined where nothing is left that may be sent back: the API refuses empty text. */
export function finishBlock(block: OpenBlock, fallbackId: string): Finished | undefined {
  switch (block.wire["type"]) {
    case "text":
      return block.text === "" ? undefined : { block: textBlock(block) };
    case "thinking":
      return { block: thinkingBlock(block) };
    case "redacted_thinking":
      return { block: { type: "redacted_thinking", data: stringOf(block.wire["data"]) } };
    case "tool_use":
      return finishToolUse(block, fallbackId);
    default:
      return finishOpaque(block);
  }
}

/** Words that a server put into the block of a call: nothing of the call, and not to be lost. */
export function wordsBeside({ wire, text }: OpenBlock): Finished | undefined {
  return wire["type"] === "tool_use" && text.trim() !== "" ? { block: { type: "text", text } } : undefined;
}

function textBlock({ text, citations }: OpenBlock): TextBlock {
  return citations === undefined ? { type: "text", text } : { type: "text", text, citations };
}

function thinkingBlock({ thinking, signature }: OpenBlock): ThinkingBlock {
  return signature === "" ? { type: "thinking", thinking } : { type: "thinking", thinking, signature };
}

function finishToolUse(block: OpenBlock, fallbackId: string): Finished {
  const { id, name, input: started, type: _, ...rest } = block.wire;
  // As other protocols have it: JSON in a string.
  if (block.json.trim() === "") block.json = stringOf(started);
  const input = readInput(block, started);
  const toolUse: ToolUseBlock = {
    type: "tool_use",
    // Some compatible servers give no id; the result needs one to refer to.
    id: typeof id === "string" && id !== "" ? id : `toolu_${fallbackId}`,
    name: stringOf(name),
    input: input.value,
    // Fields of the API's own beside these, such as `caller`, go back as they came.
    ...rest,
  };
  if (input.doubt === "invalid") return { block: toolUse, doubt: "invalid", raw: block.json };
  return { block: toolUse, doubt: input.doubt };
}

/** A block that belongs to the server, or that nobody knows yet: what is known of deltas is folded in, the rest is as it came. */
function finishOpaque(block: OpenBlock): Finished {
  const { wire } = block;
  if (block.text !== "") wire["text"] = block.text;
  if (block.thinking !== "") wire["thinking"] = block.thinking;
  if (block.signature !== "") wire["signature"] = block.signature;
  if (block.citations !== undefined) wire["citations"] = block.citations;
  const opaque: ContentBlock = { type: "opaque", wire };
  const takesInput = block.json !== "" || isServerCall(wire);
  if (!takesInput) return { block: opaque };
  const input = readInput(block, wire["input"]);
  wire["input"] = input.value;
  return input.doubt === undefined ? { block: opaque } : { block: opaque, doubt: input.doubt };
}

interface Input {
  value: Record<string, unknown>;
  doubt?: "empty" | "invalid";
}

/** Servers that do not stream input put it into the block's start. */
function readInput({ json }: OpenBlock, started: unknown): Input {
  const given = isRecord(started) && !isDeeperThan(started, deepestValue) ? started : {};
  const isGiven = Object.keys(given).length > 0;
  if (json.trim() === "") return isGiven ? { value: given } : { value: {}, doubt: "empty" };
  try {
    const read: unknown = JSON.parse(json);
    // Some servers write it twice: the string holds the object's JSON.
    const value: unknown = typeof read === "string" ? JSON.parse(read) : read;
    const isEmpty = isRecord(value) && Object.keys(value).length === 0;
    if (isRecord(value) && !isDeeperThan(value, deepestValue)) return { value: isEmpty && isGiven ? given : value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { value: {}, doubt: "invalid" };
}

/** Some servers give the whole input as it is. */
function jsonOf(value: unknown): string {
  return isRecord(value) ? JSON.stringify(value) : stringOf(value);
}

export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
