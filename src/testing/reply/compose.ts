/** Turns a scripted reply into the blocks of one response: tools adapted, thinking signed, limits applied. */
import { advancePrefix, headDigest, promptDigest, type Prompt } from "../wire/prompt.ts";
import { digestKey, digestText } from "../wire/digest.ts";
import { blockFacts } from "../wire/facts.ts";
import type { ModelTraits } from "../models.ts";
import { summaryContext, writeSignature } from "../signature.ts";
import { adaptKeys, partsOf, pickTool, resolveText, resolveValue } from "../script/selectors.ts";
import type { RequestView } from "../script/request-view.ts";
import type { Part, Reply, ToolPart } from "../script/types.ts";
import type { Json, JsonObject, WireBlock } from "../wire/types.ts";

/** A block on its way out: its start, its delta payload, and the data that completes it. */
export interface OutgoingBlock {
  start: WireBlock;
  delta?: "text_delta" | "input_json_delta" | "thinking_delta" | "compaction_delta";
  payload: string;
  signature?: string;
  citations?: Json[];
  /** UTF-8 bytes that count as output; more than the payload if thinking is not shown. */
  billedBytes: number;
  /** The payload was cut off. */
  isCut?: boolean;
}

export interface ComposeContext {
  request: RequestView;
  prompt: Prompt;
  traits: ModelTraits;
  responseId: string;
  /** Whether the model thinks in this request, and whether the client sees the text. */
  thinking: { isOn: boolean; isShown: boolean };
  nextId: (prefix: string) => string;
}

export function composeBlocks(reply: Reply, context: ComposeContext): OutgoingBlock[] {
  const blocks: OutgoingBlock[] = [];
  let prefix = promptDigest(context.prompt);
  let thinkingIndex = 0;
  const sealFor = (response: string, index: number, content: string) =>
    writeSignature({
      model: context.request.model,
      prefix: digestKey(prefix),
      content: digestKey(digestText(content)),
      response,
      index,
    });
  const seal: Sealer = (content) => sealFor(context.responseId, thinkingIndex++, content);
  const lastRole = context.request.messages.at(-1)?.role ?? "";
  const sealSummary: Sealer = (content) =>
    sealFor(summaryContext(lastRole, digestKey(headDigest(context.prompt))), 0, content);
  for (const part of partsOf(reply)) {
    const isSummary = typeof part === "object" && "compaction" in part;
    const block = composePart(part, context, isSummary ? sealSummary : seal);
    if (block === undefined) continue;
    blocks.push(block);
    prefix = advancePrefix(prefix, "assistant", blockFacts(finishedBlock(block)));
  }
  return blocks;
}

type Sealer = (content: string) => string;

function composePart(part: Part, context: ComposeContext, seal: Sealer): OutgoingBlock | undefined {
  const { request } = context;
  if (typeof part === "string") return textBlock(part);
  if ("text" in part) {
    const block = textBlock(resolveText(part.text, request));
    return block === undefined || part.citations === undefined ? block : { ...block, citations: part.citations };
  }
  if ("thinking" in part) {
    const text = resolveText(part.thinking, request);
    return context.thinking.isOn ? thinkingBlock(text, context.thinking.isShown, seal) : undefined;
  }
  if ("redactedThinking" in part) {
    if (!context.thinking.isOn) return undefined;
    const start = { type: "redacted_thinking", data: seal(part.redactedThinking) };
    return { start, payload: "", billedBytes: Buffer.byteLength(part.redactedThinking) };
  }
  if ("tool" in part) return toolBlock(part, context);
  if ("name" in part) return toolBlock({ ...part, tool: part.name }, context);
  if ("serverTool" in part) {
    const id = part.id ?? context.nextId("srvtoolu");
    return inputBlock(
      { type: "server_tool_use", id, name: part.serverTool, input: {} },
      JSON.stringify(part.input ?? {}),
    );
  }
  if ("compaction" in part) {
    const signature = seal(part.compaction);
    const start = { type: "compaction", content: "", encrypted_content: signature, signature };
    return {
      start,
      delta: "compaction_delta",
      payload: part.compaction,
      billedBytes: Buffer.byteLength(part.compaction),
    };
  }
  return { start: part.block, payload: "", billedBytes: Buffer.byteLength(JSON.stringify(part.block)) };
}

/** Undefined for empty text: the API sends no empty text block. */
function textBlock(text: string): OutgoingBlock | undefined {
  if (text === "") return undefined;
  return {
    start: { type: "text", text: "" },
    delta: "text_delta",
    payload: text,
    billedBytes: Buffer.byteLength(text),
  };
}

function thinkingBlock(text: string, isShown: boolean, seal: Sealer): OutgoingBlock {
  const shown = isShown ? text : "";
  return {
    start: { type: "thinking", thinking: "", signature: "" },
    delta: "thinking_delta",
    payload: shown,
    signature: seal(shown),
    billedBytes: Buffer.byteLength(text),
  };
}

function toolBlock(part: ToolPart, context: ComposeContext): OutgoingBlock {
  const { name, tool } = pickTool(part.tool, context.request.body.tools ?? []);
  const input =
    typeof part.input === "function" ? part.input(context.request) : resolveValue(part.input ?? {}, context.request);
  const json = part.rawInput ?? JSON.stringify(adaptKeys(input as JsonObject, tool));
  const id = part.id ?? context.nextId("toolu");
  return inputBlock({ type: "tool_use", id, name, input: {} }, json);
}

function inputBlock(start: WireBlock, json: string): OutgoingBlock {
  return { start, delta: "input_json_delta", payload: json, billedBytes: Buffer.byteLength(json) };
}

/** The block as a client has it once the stream is over. Input that is not JSON becomes an empty object. */
export function finishedBlock(block: OutgoingBlock): WireBlock {
  const { start, payload, delta } = block;
  switch (delta) {
    case "text_delta":
      return block.citations === undefined
        ? { ...start, text: payload }
        : { ...start, text: payload, citations: block.citations };
    case "thinking_delta":
      return { ...start, thinking: payload, signature: block.isCut === true ? "" : block.signature };
    case "compaction_delta":
      return { ...start, content: payload };
    case "input_json_delta":
      return { ...start, input: parseInput(payload) };
    default:
      return start;
  }
}

function parseInput(payload: string): Json {
  try {
    return JSON.parse(payload) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
