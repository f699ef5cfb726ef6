/**
 * A request as the bytes of its body. The one place that knows the request's wire case; responses keep theirs.
 * Each message is stringified once in its life: a turn's cost is the new messages and the copying of the rest.
 */
import type { ApiMessage, ModelRequest, SystemBlock } from "../../protocol/model.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { ToolDefinition } from "../../protocol/tool.ts";
import type { CatalogEntry } from "../catalog.ts";
import { effortParameter, thinkingParameter } from "./thinking.ts";

export type CacheTtl = "5m" | "1h";

/** UTF-8 JSON of a list's item behind a comma, and where in it `cache_control` goes: -1 where it may not. */
interface Piece {
  bytes: Uint8Array;
  markAt: number;
}

export interface SerializedRequest {
  /** Length of `body()`. */
  bytes: number;
  body(): Uint8Array;
  /** The body that asks for a count of the same tokens. */
  countBody(): Uint8Array;
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
  const control = ttl === "1h" ? { type: "ephemeral", ttl } : { type: "ephemeral" };
  const mark = Buffer.from(`,"cache_control":${JSON.stringify(control)}`);
  return (request) => serialize(request, infoOf(request.model), mark);
}

function serialize(request: ModelRequest, entry: CatalogEntry, mark: Uint8Array): SerializedRequest {
  const parts = new Parts();
  const { system, messages } = breakpoints(request);
  parts.add(Buffer.from(`{"model":${JSON.stringify(request.model)}`));
  // Tools and system come first and what varies from call to call last, so that the bytes of two turns agree as far as their conversations do.
  parts.list("tools", request.tools, (tool) => memoised(toolPieces, tool, toolPiece));
  parts.list("system", system.blocks, (block) => memoised(systemPieces, block, systemPiece), system.marked, mark);
  parts.list("messages", request.messages, (message) => memoised(messagePieces, message, messagePiece), messages, mark);
  const tail = ending(variableFields(request, entry));
  return {
    bytes: parts.length + tail.length,
    body: () => parts.concat(tail),
    countBody: () => parts.concat(ending(thinkingField(request, entry))),
  };
}

/** The last fields of an object, and its end. */
function ending(fields: Record<string, unknown>): Uint8Array {
  const json = JSON.stringify(fields);
  return Buffer.from(json === "{}" ? "}" : `,${json.slice(1)}`);
}

const closeList = Buffer.from("]");

/** Bytes to be put together. They are kept as bytes, since joining strings and encoding them anew costs ten times as much. */
class Parts {
  length = 0;
  readonly #parts: Uint8Array[] = [];

  add(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.length += bytes.length;
  }

  /** Adds `,"name":[…]`; nothing for an empty list. */
  list<T>(
    name: string,
    items: readonly T[],
    bytesOf: (item: T) => Piece,
    marked: ReadonlySet<number> = new Set(),
    mark: Uint8Array = new Uint8Array(),
  ): void {
    if (items.length === 0) return;
    this.add(Buffer.from(`,"${name}":[`));
    for (const [index, item] of items.entries()) {
      const { bytes, markAt } = bytesOf(item);
      const from = index === 0 ? 1 : 0;
      if (markAt >= 0 && marked.has(index)) {
        this.add(bytes.subarray(from, markAt));
        this.add(mark);
        this.add(bytes.subarray(markAt));
      } else this.add(from === 0 ? bytes : bytes.subarray(from));
    }
    this.add(closeList);
  }

  concat(tail: Uint8Array): Uint8Array {
    return Buffer.concat([...this.#parts, tail], this.length + tail.length);
  }
}

function memoised<T extends object>(memo: WeakMap<T, Piece>, key: T, make: (key: T) => Piece): Piece {
  let known = memo.get(key);
  if (known === undefined) {
    known = make(key);
    memo.set(key, known);
  }
  return known;
}

/** @param end bytes after the place of a mark; undefined: there is none. */
function pieceOf(json: string, end: number | undefined): Piece {
  // In memory of its own: a slice of the shared pool would keep the whole of it for as long as the conversation lasts.
  const bytes = Buffer.allocUnsafeSlow(1 + Buffer.byteLength(json));
  bytes.write(",", 0, "latin1");
  bytes.write(json, 1, "utf8");
  return { bytes, markAt: end === undefined ? -1 : bytes.length - end };
}

function toolPiece(tool: ToolDefinition): Piece {
  const definition = { name: tool.name, description: tool.description, input_schema: tool.inputSchema };
  return pieceOf(JSON.stringify(definition), undefined);
}

function systemPiece(block: SystemBlock): Piece {
  return pieceOf(JSON.stringify({ type: "text", text: block.text }), 1);
}

function messagePiece(message: ApiMessage): Piece {
  const blocks = message.content.map((block) => JSON.stringify(block.type === "opaque" ? block.wire : block));
  const json = `{"role":"${message.role}","content":[${blocks.join(",")}]}`;
  const marked = message.content.findLastIndex(isCacheable);
  if (marked < 0) return pieceOf(json, undefined);
  const after = blocks.slice(marked + 1).reduce((sum, block) => sum + Buffer.byteLength(block) + 1, 0);
  return pieceOf(json, "}]}".length + after);
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
