/**
 * A request as the bytes of its body. The one place that knows the request's wire case; responses keep theirs.
 * Each message is stringified once in its life: a turn's cost is the new messages and one copy of the rest.
 */
import type { ApiMessage, ModelRequest, SystemBlock } from "../../protocol/model.ts";
import { wellFormedJson } from "../../lib/well-formed-json.ts";
import type { CatalogEntry } from "../catalog.ts";
import { MessageBytes } from "./message-bytes.ts";
import { effortParameter, thinkingParameter, thinks, type ThinkingParameter } from "./thinking.ts";
import { nothingLeftOut, type LeftOut } from "./unknown-fields.ts";
import { writerFor, type Writer } from "./written-message.ts";

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

const plainMark = markOf({ type: "ephemeral" });
const hourMark = markOf({ type: "ephemeral", ttl: "1h" });

function markOf(control: object): Buffer {
  return Buffer.from(`,"cache_control":${JSON.stringify(control)}`);
}

/** Model, tools and system as they were last sent, and how many of the breakpoints the system asks for it got. */
interface Head extends Pick<ModelRequest, "model" | "tools" | "system"> {
  wanted: number;
  marked: number;
  /** No breakpoint may stand anywhere. */
  isUncached: boolean;
  leftOut: LeftOut;
  bytes: Uint8Array;
}

/** What comes after the last message as it was last sent, and what it was made of. */
interface Ending {
  entry: CatalogEntry;
  maxTokens: number;
  thinking: ModelRequest["thinking"];
  effort: ModelRequest["effort"];
  speed: ModelRequest["speed"];
  leftOut: LeftOut;
  bytes: Uint8Array;
}

/** What one serialiser keeps from one request to the next. */
interface Memory {
  /** Of a breakpoint. */
  mark: Buffer;
  isUncached: (model: string) => boolean;
  leftOutOf: (model: string) => LeftOut;
  /** By how it is written, and the first message of a conversation: parallel ones do not take each other's place. */
  conversations: Map<Writer, WeakMap<ApiMessage, MessageBytes>>;
  head: Head | undefined;
  ending: Ending | undefined;
}

/**
 * Serialises for one endpoint's settings; `isUncached` names the models that get no `cache_control`, `leftOutOf` what else a model
 * is not sent. Parts are known again by identity, so a message, the tools, the system and the setting of thinking must not change
 * once they were sent.
 */
export function createSerializer(
  infoOf: (model: string) => CatalogEntry,
  ttl: CacheTtl,
  isUncached: (model: string) => boolean = () => false,
  leftOutOf: (model: string) => LeftOut = () => nothingLeftOut,
): (request: ModelRequest) => SerializedRequest {
  const memory: Memory = {
    mark: ttl === "1h" ? hourMark : plainMark,
    isUncached,
    leftOutOf,
    conversations: new Map(),
    head: undefined,
    ending: undefined,
  };
  return (request) => serialize(request, infoOf(request.model), memory);
}

function serialize(request: ModelRequest, entry: CatalogEntry, memory: Memory): SerializedRequest {
  // Tools and system come first and what varies from call to call last, so that the bytes of two turns agree as far as their conversations do.
  const head = headOf(request, memory);
  const mark = markFor(head.leftOut, memory);
  const marked = head.isUncached ? [] : request.cacheBreakpoints.slice(-(mostBreakpoints - head.marked));
  const last = endingOf(request, entry, memory);
  const isOthers = !entry.known || entry.status === "custom";
  const isUnthinking = !isOthers && !thinks(entry, thinkingField(request, entry, head.leftOut), head.leftOut);
  const writer = writerFor(isOthers, head.leftOut, isUnthinking);
  const size = conversationOf(request.messages, writer, memory).sizeWith(marked, mark.length);
  const body = (after: Uint8Array): Uint8Array[] => [
    head.bytes,
    ...conversationOf(request.messages, writer, memory).pieces(marked, mark, after),
  ];
  return {
    bytes: head.bytes.length + size + last.length,
    body: () => body(last),
    countBody: () =>
      body(ending({ thinking: thinkingField(request, entry, head.leftOut), ...countedSummary(request) })),
  };
}

function markFor(leftOut: LeftOut, { mark }: Memory): Buffer {
  return leftOut.has("cache_control.ttl") ? plainMark : mark;
}

/** The end of the messages, the last fields of the object, and its end. */
function ending(fields: Record<string, unknown>): Buffer {
  const json = JSON.stringify(fields);
  return Buffer.from(json === "{}" ? "]}" : `],${json.slice(1)}`);
}

/** The same for each request of a conversation, but where a budget or a summary is told. */
function endingOf(request: ModelRequest, entry: CatalogEntry, memory: Memory): Uint8Array {
  const { maxTokens, thinking, effort, speed } = request;
  const leftOut = memory.leftOutOf(request.model);
  if (request.taskBudget !== undefined || request.compaction !== undefined)
    return ending(variableFields(request, entry, leftOut));
  const known = memory.ending;
  if (
    known?.entry === entry &&
    known.maxTokens === maxTokens &&
    known.thinking === thinking &&
    known.effort === effort &&
    known.speed === speed &&
    known.leftOut === leftOut
  )
    return known.bytes;
  const bytes = endings.shared(ending(variableFields(request, entry, leftOut)));
  memory.ending = { entry, maxTokens, thinking, effort, speed, leftOut, bytes };
  return bytes;
}

/**
 * Up to the first message. The same objects give the same bytes. Of four breakpoints at most, the last of the system and the
 * tail of the conversation matter most, so the earliest go first.
 */
function headOf(request: ModelRequest, memory: Memory): Head {
  const { model, tools, system, cacheBreakpoints } = request;
  const free = Math.max(mostBreakpoints - cacheBreakpoints.length, 1);
  const leftOut = memory.leftOutOf(model);
  const known = memory.head;
  if (
    known?.model === model &&
    known.leftOut === leftOut &&
    known.tools === tools &&
    known.system === system &&
    known.marked === Math.min(known.wanted, free)
  )
    return known;
  const isUncached = memory.isUncached(model) || leftOut.has("cache_control");
  const { blocks, wanted: asked } = systemBlocks(system);
  const wanted = isUncached ? [] : asked;
  const marked = wanted.slice(-free);
  const mark = markFor(leftOut, memory).toString();
  const texts = blocks.map((text, index) => {
    const json = wellFormedJson({ type: "text", text });
    return marked.includes(index) ? `${json.slice(0, -1)}${mark}}` : json;
  });
  const definitions = tools.map(({ name, description, inputSchema }) =>
    wellFormedJson({ name, description, input_schema: inputSchema }),
  );
  const lists = list("tools", definitions) + list("system", texts);
  const bytes = heads.shared(Buffer.from(`{"model":${JSON.stringify(model)}${lists},"messages":[`));
  return (memory.head = {
    model,
    tools,
    system,
    wanted: wanted.length,
    marked: marked.length,
    isUncached,
    leftOut,
    bytes,
  });
}

/** The texts to be sent, and which of them are to carry a breakpoint. */
function systemBlocks(system: readonly SystemBlock[]): { blocks: string[]; wanted: number[] } {
  const blocks: string[] = [];
  const wanted: number[] = [];
  for (const { text, cacheBreakpoint } of system) {
    // The API refuses empty text; its breakpoint falls after what stands before it.
    if (text !== "") blocks.push(text);
    const last = blocks.length - 1;
    if (cacheBreakpoint === true && last >= 0 && wanted.at(-1) !== last) wanted.push(last);
  }
  return { blocks, wanted };
}

/** `,"name":[…]`; nothing for an empty list. */
function list(name: string, items: readonly string[]): string {
  return items.length === 0 ? "" : `,"${name}":[${items.join(",")}]`;
}

/**
 * Sessions of one process that ask alike hold the bytes of it once; with the last of them the bytes go. They lie in memory of
 * their own: a few bytes of the pool that small buffers are cut from would keep all 64 KB of it.
 */
class LastBytes {
  #last: WeakRef<Uint8Array> | undefined;

  shared(bytes: Buffer): Uint8Array {
    const known = this.#last?.deref();
    if (known !== undefined && bytes.equals(known)) return known;
    const own = new Uint8Array(bytes);
    this.#last = new WeakRef(own);
    return own;
  }
}

const heads = new LastBytes();
const endings = new LastBytes();

function conversationOf(messages: readonly ApiMessage[], writer: Writer, { conversations }: Memory): MessageBytes {
  const [first] = messages;
  const written = conversations.get(writer) ?? new WeakMap<ApiMessage, MessageBytes>();
  conversations.set(writer, written);
  const known = first === undefined ? undefined : written.get(first);
  const bytes = known ?? new MessageBytes();
  if (first !== undefined && known === undefined) written.set(first, bytes);
  bytes.update(messages, writer);
  return bytes;
}

/** Key order is the byte order. What is undefined is not sent. */
function variableFields(request: ModelRequest, entry: CatalogEntry, leftOut: LeftOut): Record<string, unknown> {
  const { effort, compaction } = request;
  const sentEffort = isOut("effort", leftOut) ? undefined : effortParameter(entry, effort);
  const budget = taskBudget(request, entry, leftOut);
  return {
    max_tokens: request.maxTokens,
    thinking: thinkingField(request, entry, leftOut),
    speed: isFast(request, entry) ? "fast" : undefined,
    output_config:
      sentEffort === undefined && budget === undefined ? undefined : { effort: sentEffort, task_budget: budget },
    ...summaryField(compaction),
    stream: true,
  };
}

/** What ends with the assistant is counted only where it is said that a summary is asked for. */
function countedSummary({ messages, compaction }: ModelRequest): Record<string, unknown> {
  return messages.at(-1)?.role === "assistant" ? summaryField(compaction) : {};
}

function summaryField(compaction: ModelRequest["compaction"]): Record<string, unknown> {
  return compaction === undefined ? {} : { compaction: { type: "summarize", instructions: compaction.instructions } };
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

function isOut(part: "effort" | "task_budget", leftOut: LeftOut): boolean {
  return leftOut.has("output_config") || leftOut.has(`output_config.${part}`);
}

/** Undefined where none was asked for, the model or its server takes none, or it is below what the API accepts. */
export function taskBudget(
  request: ModelRequest,
  entry: CatalogEntry,
  leftOut: LeftOut,
): Record<string, unknown> | undefined {
  const budget = isOut("task_budget", leftOut) ? undefined : request.taskBudget;
  if (budget === undefined || !entry.taskBudget || budget.total < 20_000) return undefined;
  return { type: "tokens", total: budget.total, remaining: budget.remaining };
}

function thinkingField(request: ModelRequest, entry: CatalogEntry, leftOut: LeftOut): ThinkingParameter | undefined {
  return thinkingParameter(entry, request.thinking, request.maxTokens, request.effort, leftOut);
}
