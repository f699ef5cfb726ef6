/**
 * A request as the bytes of its body. The one place that knows the request's wire case; responses keep theirs.
 * Each message is stringified once in its life: a turn's cost is the new messages and the joining of strings.
 */
import type { ApiMessage, ModelRequest, SystemBlock } from "../../protocol/model.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { ToolDefinition } from "../../protocol/tool.ts";
import type { CatalogEntry } from "../catalog.ts";
import { effortParameter, thinkingParameter } from "./thinking.ts";

export type CacheTtl = "5m" | "1h";

/** JSON of a part, and where in it `cache_control` goes: -1 where it may not. */
interface Piece {
  json: string;
  bytes: number;
  markAt: number;
}

export interface SerializedRequest {
  /** UTF-8 length of `body()`. */
  bytes: number;
  body(): string;
  /** The body that asks for a count of the same tokens. */
  countBody(): string;
}

const mostBreakpoints = 4;

const messagePieces = new WeakMap<ApiMessage, Piece>();
const systemPieces = new WeakMap<SystemBlock, Piece>();
const toolPieces = new WeakMap<ToolDefinition, Piece>();

/** Serialises for one endpoint's settings. Parts are memoised by identity, so a message must not change once it was sent. */
export function createSerializer(
  infoOf: (model: string) => CatalogEntry,
  ttl: CacheTtl,
): (request: ModelRequest) => SerializedRequest {
  const mark =
    ttl === "1h" ? ',"cache_control":{"type":"ephemeral","ttl":"1h"}' : ',"cache_control":{"type":"ephemeral"}';
  return (request) => serialize(request, infoOf(request.model), mark);
}

function serialize(request: ModelRequest, entry: CatalogEntry, mark: string): SerializedRequest {
  const parts = new Parts();
  const { system, messages } = breakpoints(request);
  parts.text(`{"model":${JSON.stringify(request.model)}`);
  // Tools and system come first and what varies from call to call last, so that the bytes of two turns agree as far as their conversations do.
  parts.list("tools", request.tools, (tool) => memoised(toolPieces, tool, toolPiece));
  parts.list("system", system.blocks, (block) => memoised(systemPieces, block, systemPiece), system.marked, mark);
  parts.list("messages", request.messages, (message) => memoised(messagePieces, message, messagePiece), messages, mark);
  const tail = JSON.stringify(variableFields(request, entry)).slice(1);
  const countTail = JSON.stringify(thinkingField(request, entry)).slice(1);
  return {
    bytes: parts.bytes + 1 + Buffer.byteLength(tail),
    body: () => `${parts.join()},${tail}`,
    countBody: () => `${parts.join()}${countTail === "}" ? "" : ","}${countTail}`,
  };
}

/** Strings to be joined, and their length in UTF-8. */
class Parts {
  bytes = 0;
  readonly #strings: string[] = [];

  text(ascii: string): void {
    this.#strings.push(ascii);
    this.bytes += Buffer.byteLength(ascii);
  }

  /** Adds `,"name":[…]`; nothing for an empty list. */
  list<T>(
    name: string,
    items: readonly T[],
    pieceOf: (item: T) => Piece,
    marked: ReadonlySet<number> = new Set(),
    mark = "",
  ): void {
    if (items.length === 0) return;
    const strings = this.#strings;
    let { bytes } = this;
    strings.push(`,"${name}":[`);
    bytes += name.length + 5;
    for (let index = 0; index < items.length; index++) {
      const { json, bytes: length, markAt } = pieceOf(items[index] as T);
      if (index > 0) strings.push(",");
      if (markAt >= 0 && marked.has(index)) {
        strings.push(json.slice(0, markAt), mark, json.slice(markAt));
        bytes += mark.length;
      } else strings.push(json);
      bytes += length;
    }
    strings.push("]");
    this.bytes = bytes + items.length;
  }

  join(): string {
    return this.#strings.join("");
  }
}

function memoised<T extends object>(memo: WeakMap<T, Piece>, key: T, make: (key: T) => Piece): Piece {
  let piece = memo.get(key);
  if (piece === undefined) {
    piece = make(key);
    memo.set(key, piece);
  }
  return piece;
}

function toolPiece(tool: ToolDefinition): Piece {
  const json = JSON.stringify({ name: tool.name, description: tool.description, input_schema: tool.inputSchema });
  return { json, bytes: Buffer.byteLength(json), markAt: -1 };
}

function systemPiece(block: SystemBlock): Piece {
  const json = JSON.stringify({ type: "text", text: block.text });
  return { json, bytes: Buffer.byteLength(json), markAt: json.length - 1 };
}

function messagePiece(message: ApiMessage): Piece {
  let json = `{"role":"${message.role}","content":[`;
  let markAt = -1;
  for (const [index, block] of message.content.entries()) {
    json += (index > 0 ? "," : "") + JSON.stringify(block.type === "opaque" ? block.wire : block);
    if (isCacheable(block)) markAt = json.length - 1;
  }
  json += "]}";
  return { json, bytes: Buffer.byteLength(json), markAt };
}

function isCacheable(block: ContentBlock): boolean {
  switch (block.type) {
    case "text":
      return block.text !== "";
    case "thinking":
    case "redacted_thinking":
      return false;
    case "opaque":
      return (
        !("cache_control" in block.wire) &&
        /tool_result$|^(?:search_result|compaction)$/.test(String(block.wire["type"]))
      );
    case "tool_use":
    case "tool_result":
    case "image":
    case "document":
      return true;
  }
}

interface Breakpoints {
  system: { blocks: SystemBlock[]; marked: Set<number> };
  messages: Set<number>;
}

/** At most four; the last of the system and the tail of the conversation matter most, so the earliest go first. */
function breakpoints(request: ModelRequest): Breakpoints {
  const blocks: SystemBlock[] = [];
  const marked: number[] = [];
  for (const block of request.system) {
    // The API refuses empty text; its breakpoint falls after what stands before it.
    if (block.text !== "") blocks.push(block);
    if (block.cacheBreakpoint === true && blocks.length > 0 && marked.at(-1) !== blocks.length - 1)
      marked.push(blocks.length - 1);
  }
  const ofSystem = marked.slice(-Math.max(mostBreakpoints - request.cacheBreakpoints.length, 1));
  const ofMessages = request.cacheBreakpoints.slice(-(mostBreakpoints - ofSystem.length));
  return { system: { blocks, marked: new Set(ofSystem) }, messages: new Set(ofMessages) };
}

/** Key order is the byte order. */
function variableFields(request: ModelRequest, entry: CatalogEntry): Record<string, unknown> {
  const effort = effortParameter(entry, request.effort);
  const budget = taskBudget(request, entry);
  const fields: Record<string, unknown> = { max_tokens: request.maxTokens, ...thinkingField(request, entry) };
  if (effort !== undefined || budget !== undefined) fields["output_config"] = { effort, task_budget: budget };
  fields["stream"] = true;
  return fields;
}

/** Undefined where none was asked for, the model takes none, or it is below what the API accepts. */
export function taskBudget(request: ModelRequest, entry: CatalogEntry): Record<string, unknown> | undefined {
  const budget = request.taskBudget;
  if (budget === undefined || !entry.taskBudget || budget.total < 20_000) return undefined;
  return { type: "tokens", total: budget.total, remaining: budget.remaining };
}

function thinkingField(request: ModelRequest, entry: CatalogEntry): Record<string, unknown> {
  const thinking = thinkingParameter(entry, request.thinking, request.maxTokens, request.effort);
  return thinking === undefined ? {} : { thinking };
}
