/**
 * A request as the bytes of its body. The one place that knows the request's wire case; responses keep theirs.
 * Each message is stringified once in its life: a turn's cost is the new messages and one copy of the rest.
 */
import type { ApiMessage, ModelRequest, SystemBlock } from "../../protocol/model.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import { wellFormedJson } from "../../lib/well-formed-json.ts";
import type { CatalogEntry } from "../catalog.ts";
import { MessageBytes, type WrittenMessage } from "./message-bytes.ts";
import { effortParameter, thinkingParameter } from "./thinking.ts";

export type CacheTtl = "5m" | "1h";

export interface SerializedRequest {
  /** Length of `body()`. */
  bytes: number;
  /** In pieces, which never change. */
  body(): Uint8Array[];
  /** The body that asks for a count of the same tokens. */
  countBody(): Uint8Array[];
}

const mostBreakpoints = 4;

/** What one serialiser keeps from one request to the next. */
interface Memory {
  mark: Uint8Array;
  /** By the first message of a conversation: parallel ones do not take each other's place. */
  conversations: WeakMap<ApiMessage, MessageBytes>;
  head: { key: readonly unknown[]; bytes: Uint8Array } | undefined;
}

/**
 * Serialises for one endpoint's settings. Parts are known again by identity, so a message, the tools and the system must not
 * change once they were sent.
 */
export function createSerializer(
  infoOf: (model: string) => CatalogEntry,
  ttl: CacheTtl,
): (request: ModelRequest) => SerializedRequest {
  const control = ttl === "1h" ? { type: "ephemeral", ttl } : { type: "ephemeral" };
  const mark = Buffer.from(`,"cache_control":${JSON.stringify(control)}`);
  const memory: Memory = { mark, conversations: new WeakMap(), head: undefined };
  return (request) => serialize(request, infoOf(request.model), memory);
}

function serialize(request: ModelRequest, entry: CatalogEntry, memory: Memory): SerializedRequest {
  const { system, messages } = breakpoints(request);
  const { mark } = memory;
  // Tools and system come first and what varies from call to call last, so that the bytes of two turns agree as far as their conversations do.
  const head = headOf(request, system, memory);
  const last = ending(variableFields(request, entry));
  const size = conversationOf(request.messages, memory).sizeWith(messages, mark.length);
  const body = (after: string): Uint8Array[] => [
    head,
    ...conversationOf(request.messages, memory).pieces(messages, mark, after),
  ];
  return {
    bytes: head.length + size + Buffer.byteLength(last),
    body: () => body(last),
    countBody: () => body(ending(thinkingField(request, entry))),
  };
}

/** The end of the messages, the last fields of the object, and its end. */
function ending(fields: Record<string, unknown>): string {
  const json = JSON.stringify(fields);
  return json === "{}" ? "]}" : `],${json.slice(1)}`;
}

/** Model, tools and system, up to the first message. The same objects give the same bytes. */
function headOf(request: ModelRequest, system: Breakpoints["system"], memory: Memory): Uint8Array {
  const key = [request.model, request.tools, request.system, system.marked.size];
  if (memory.head?.key.every((part, index) => part === key[index]) === true) return memory.head.bytes;
  const tools = request.tools.map(({ name, description, inputSchema }) =>
    wellFormedJson({ name, description, input_schema: inputSchema }),
  );
  const mark = Buffer.from(memory.mark).toString();
  const blocks = system.blocks.map(({ text }, index) => {
    const json = wellFormedJson({ type: "text", text });
    return system.marked.has(index) ? `${json.slice(0, -1)}${mark}}` : json;
  });
  const lists = [list("tools", tools), list("system", blocks)].join("");
  const bytes = Buffer.from(`{"model":${JSON.stringify(request.model)}${lists},"messages":[`);
  memory.head = { key, bytes };
  return bytes;
}

/** `,"name":[…]`; nothing for an empty list. */
function list(name: string, items: readonly string[]): string {
  return items.length === 0 ? "" : `,"${name}":[${items.join(",")}]`;
}

function conversationOf(messages: readonly ApiMessage[], { conversations }: Memory): MessageBytes {
  const [first] = messages;
  const known = first === undefined ? undefined : conversations.get(first);
  const bytes = known ?? new MessageBytes();
  if (first !== undefined && known === undefined) conversations.set(first, bytes);
  bytes.update(messages, write);
  return bytes;
}

function write(message: ApiMessage): WrittenMessage {
  const blocks = message.content.map((block) => wellFormedJson(block.type === "opaque" ? block.wire : block));
  const json = `{"role":"${message.role}","content":[${blocks.join(",")}]}`;
  const marked = message.content.findLastIndex(isCacheable);
  if (marked < 0) return { json, afterMark: undefined };
  const after = blocks.slice(marked + 1).reduce((sum, block) => sum + Buffer.byteLength(block) + 1, 0);
  return { json, afterMark: "}]}".length + after };
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
  messages: readonly number[];
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
  return { system: { blocks, marked: new Set(ofSystem) }, messages: ofMessages };
}

/** Key order is the byte order. */
function variableFields(request: ModelRequest, entry: CatalogEntry): Record<string, unknown> {
  const effort = effortParameter(entry, request.effort);
  const budget = taskBudget(request, entry);
  const fields: Record<string, unknown> = { max_tokens: request.maxTokens, ...thinkingField(request, entry) };
  if (isFast(request, entry)) fields["speed"] = "fast";
  if (effort !== undefined || budget !== undefined) fields["output_config"] = { effort, task_budget: budget };
  if (request.compaction !== undefined)
    fields["compaction"] = { type: "summarize", instructions: request.compaction.instructions };
  fields["stream"] = true;
  return fields;
}

/** A signed summary is asked for, or stands in place of the first messages. */
export function usesCompaction({ compaction, messages }: ModelRequest): boolean {
  const first = messages[0]?.content[0];
  return compaction !== undefined || (first?.type === "opaque" && first.wire["type"] === "compaction");
}

/** Asked for, and the model has it: others answer with a 400, or silently as ever. */
export function isFast(request: ModelRequest, entry: CatalogEntry): boolean {
  return request.speed === "fast" && entry.fastPrices !== undefined;
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
