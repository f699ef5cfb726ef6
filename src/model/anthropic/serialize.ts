/**
 * Serializes a request to the bytes of its body. Only this file knows the wire case of request fields; responses keep theirs.
 * Each message is stringified once in its life: a turn costs its new messages and one copy of the rest.
 */
import type { ApiMessage, ModelRequest, SystemBlock } from "../../protocol/model.ts";
import { wellFormedJson } from "../../lib/well-formed-json.ts";
import type { CatalogEntry } from "../catalog.ts";
import { extraFieldsFor, type ExtraBody } from "./extra-fields.ts";
import { MessageBytes } from "./message-bytes.ts";
import { effortParameter, thinkingParameter, isThinkingOn, type ThinkingParameter } from "./thinking.ts";
import { nothingLeftOut, type LeftOutFields } from "./unknown-fields.ts";
import { writerFor, type Writer } from "./written-message.ts";

export type CacheTtl = "5m" | "1h";

export interface SerializedRequest {
  /** Length of `body()`. */
  bytes: number;
  /** In pieces that never change. */
  body(): Uint8Array[];
  /** The body for counting the same tokens. */
  countBody(): Uint8Array[];
}

const maxBreakpoints = 4;

const plainMark = markOf({ type: "ephemeral" });
const hourMark = markOf({ type: "ephemeral", ttl: "1h" });

function markOf(control: object): Buffer {
  return Buffer.from(`,"cache_control":${JSON.stringify(control)}`);
}

/** Model, tools and system as last sent, the number of breakpoints the system wants, and how many of them were set. */
interface RequestHead extends Pick<ModelRequest, "model" | "tools" | "system"> {
  requestedCount: number;
  marked: number;
  /** No breakpoint may be set anywhere. */
  isUncached: boolean;
  leftOut: LeftOutFields;
  bytes: Uint8Array;
}

/** The part after the last message as last sent, and the values it was made from. */
interface RequestEnding {
  entry: CatalogEntry;
  maxTokens: number;
  thinking: ModelRequest["thinking"];
  effort: ModelRequest["effort"];
  speed: ModelRequest["speed"];
  leftOut: LeftOutFields;
  bytes: Uint8Array;
}

/** What one serializer keeps from one request to the next. */
interface SerializerMemory {
  /** The bytes of a cache breakpoint. */
  mark: Buffer;
  isUncached: (model: string) => boolean;
  leftOutOf: (model: string) => LeftOutFields;
  extraBody: ExtraBody;
  /** Keyed by writer and by the first message: parallel conversations do not replace one another. */
  conversations: Map<Writer, WeakMap<ApiMessage, MessageBytes>>;
  head: RequestHead | undefined;
  ending: RequestEnding | undefined;
}

/**
 * Creates a serializer for one endpoint's settings. `isUncached` names the models that get no `cache_control`, `leftOutOf` the
 * other fields that a model is not sent, `extraBody` is sent in addition. Parts are recognized by identity, so a message, the tools,
 * the system and the thinking setting must not change once sent.
 */
export function createSerializer(
  infoOf: (model: string) => CatalogEntry,
  ttl: CacheTtl,
  isUncached: (model: string) => boolean = () => false,
  leftOutOf: (model: string) => LeftOutFields = () => nothingLeftOut,
  extraBody: ExtraBody = {},
): (request: ModelRequest) => SerializedRequest {
  const memory: SerializerMemory = {
    mark: ttl === "1h" ? hourMark : plainMark,
    isUncached,
    leftOutOf,
    extraBody,
    conversations: new Map(),
    head: undefined,
    ending: undefined,
  };
  return (request) => serialize(request, infoOf(request.model), memory);
}

function serialize(request: ModelRequest, entry: CatalogEntry, memory: SerializerMemory): SerializedRequest {
  // Tools and system come first, varying fields last, so that the bytes of two turns agree as far as their conversations do.
  const head = headOf(request, memory);
  const mark = markFor(head.leftOut, memory);
  const marked = head.isUncached ? [] : request.cacheBreakpoints.slice(-(maxBreakpoints - head.marked));
  const last = endingOf(request, entry, memory);
  const isForeignModel = !entry.known || entry.status === "custom";
  const isUnthinking =
    !isForeignModel && !isThinkingOn(entry, thinkingField(request, entry, head.leftOut), head.leftOut);
  const writer = writerFor(isForeignModel, head.leftOut, isUnthinking);
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

function markFor(leftOut: LeftOutFields, { mark }: SerializerMemory): Buffer {
  return leftOut.has("cache_control.ttl") ? plainMark : mark;
}

/** The bytes that close the messages, add the last fields and close the object. */
function ending(fields: Record<string, unknown>): Buffer {
  const json = JSON.stringify(fields);
  return Buffer.from(json === "{}" ? "]}" : `],${json.slice(1)}`);
}

/** The same for every request of a conversation, unless it has a task budget, asks for a summary or may not have an extra field. */
function endingOf(request: ModelRequest, entry: CatalogEntry, memory: SerializerMemory): Uint8Array {
  const { maxTokens, thinking, effort, speed } = request;
  const leftOut = memory.leftOutOf(request.model);
  const extraFields = extraFieldsFor(memory.extraBody, request);
  const write = (): Buffer => ending({ ...extraFields, ...variableFields(request, entry, leftOut) });
  if (request.taskBudget !== undefined || request.compaction !== undefined || extraFields !== memory.extraBody)
    return write();
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
  const bytes = endings.share(write());
  memory.ending = { entry, maxTokens, thinking, effort, speed, leftOut, bytes };
  return bytes;
}

/**
 * The bytes up to the first message. The same objects give the same bytes. At most four breakpoints are allowed. The last one of
 * the system and those at the conversation's tail matter most, so the earliest are dropped first.
 */
function headOf(request: ModelRequest, memory: SerializerMemory): RequestHead {
  const { model, tools, system, cacheBreakpoints } = request;
  const free = Math.max(maxBreakpoints - cacheBreakpoints.length, 1);
  const leftOut = memory.leftOutOf(model);
  const known = memory.head;
  if (
    known?.model === model &&
    known.leftOut === leftOut &&
    known.tools === tools &&
    known.system === system &&
    known.marked === Math.min(known.requestedCount, free)
  )
    return known;
  const isUncached = memory.isUncached(model) || leftOut.has("cache_control");
  const { blocks, requested } = systemBlocks(system);
  const wanted = isUncached ? [] : requested;
  const marked = wanted.slice(-free);
  const mark = markFor(leftOut, memory).toString();
  const texts = blocks.map((text, index) => {
    const json = wellFormedJson({ type: "text", text });
    return marked.includes(index) ? `${json.slice(0, -1)}${mark}}` : json;
  });
  const definitions = tools.map(({ name, description, inputSchema }) =>
    wellFormedJson({ name, description, input_schema: inputSchema }),
  );
  const lists = listField("tools", definitions) + listField("system", texts);
  const bytes = heads.share(Buffer.from(`{"model":${JSON.stringify(model)}${lists},"messages":[`));
  return (memory.head = {
    model,
    tools,
    system,
    requestedCount: wanted.length,
    marked: marked.length,
    isUncached,
    leftOut,
    bytes,
  });
}

/** The texts to be sent, and the indices of those that want a breakpoint. */
function systemBlocks(system: readonly SystemBlock[]): { blocks: string[]; requested: number[] } {
  const blocks: string[] = [];
  const requested: number[] = [];
  for (const { text, cacheBreakpoint } of system) {
    // The API refuses empty text, so its breakpoint moves to the block before it.
    if (text !== "") blocks.push(text);
    const last = blocks.length - 1;
    if (cacheBreakpoint === true && last >= 0 && requested.at(-1) !== last) requested.push(last);
  }
  return { blocks, requested };
}

/** `,"name":[…]`; nothing for an empty list. */
function listField(name: string, items: readonly string[]): string {
  return items.length === 0 ? "" : `,"${name}":[${items.join(",")}]`;
}

/**
 * Sessions of one process with equal requests share the bytes, which are freed with the last such session. The bytes have memory of
 * their own: a slice of Node's pool for small buffers would keep all 64 KB of the pool alive.
 */
class LastBytes {
  #last: WeakRef<Uint8Array> | undefined;

  share(bytes: Buffer): Uint8Array {
    const known = this.#last?.deref();
    if (known !== undefined && bytes.equals(known)) return known;
    const own = new Uint8Array(bytes);
    this.#last = new WeakRef(own);
    return own;
  }
}

const heads = new LastBytes();
const endings = new LastBytes();

function conversationOf(
  messages: readonly ApiMessage[],
  writer: Writer,
  { conversations }: SerializerMemory,
): MessageBytes {
  const [first] = messages;
  const written = conversations.get(writer) ?? new WeakMap<ApiMessage, MessageBytes>();
  conversations.set(writer, written);
  const known = first === undefined ? undefined : written.get(first);
  const bytes = known ?? new MessageBytes();
  if (first !== undefined && known === undefined) written.set(first, bytes);
  bytes.update(messages, writer);
  return bytes;
}

/** The order of the keys is the order of the bytes. Undefined values are not sent. */
function variableFields(request: ModelRequest, entry: CatalogEntry, leftOut: LeftOutFields): Record<string, unknown> {
  const { effort, compaction } = request;
  const sentEffort = isLeftOut("effort", leftOut) ? undefined : effortParameter(entry, effort);
  const budget = taskBudgetField(request, entry, leftOut);
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

/** A conversation that ends with the assistant is only counted if the request says that a summary is wanted. */
function countedSummary({ messages, compaction }: ModelRequest): Record<string, unknown> {
  return messages.at(-1)?.role === "assistant" ? summaryField(compaction) : {};
}

function summaryField(compaction: ModelRequest["compaction"]): Record<string, unknown> {
  return compaction === undefined ? {} : { compaction: { type: "summarize", instructions: compaction.instructions } };
}

/** A signed summary is requested, or replaces the first messages. */
export function usesCompaction({ compaction, messages }: ModelRequest): boolean {
  const first = messages[0]?.content[0];
  return compaction !== undefined || (first?.type === "opaque" && first.wire["type"] === "compaction");
}

/** Fast mode is requested and the model has it: other models answer with a 400, or silently at normal speed. */
export function isFast(request: ModelRequest, entry: CatalogEntry): boolean {
  return request.speed === "fast" && entry.fastPrices !== undefined;
}

function isLeftOut(part: "effort" | "task_budget", leftOut: LeftOutFields): boolean {
  return leftOut.has("output_config") || leftOut.has(`output_config.${part}`);
}

/** Undefined if no budget was requested, the model or its server does not accept one, or it is below the API's minimum. */
export function taskBudgetField(
  request: ModelRequest,
  entry: CatalogEntry,
  leftOut: LeftOutFields,
): Record<string, unknown> | undefined {
  const budget = isLeftOut("task_budget", leftOut) ? undefined : request.taskBudget;
  if (budget === undefined || !entry.taskBudget || budget.total < 20_000) return undefined;
  return { type: "tokens", total: budget.total, remaining: budget.remaining };
}

function thinkingField(
  request: ModelRequest,
  entry: CatalogEntry,
  leftOut: LeftOutFields,
): ThinkingParameter | undefined {
  return thinkingParameter(entry, request.thinking, request.maxTokens, request.effort, leftOut);
}
