// What must hold of every transcript and every request, judged here from the page that says so and not by the code that
// is to be judged. Each check returns what is wrong, in words.
import type { ContentBlock, Message, ToolResultBlock, ToolUseBlock } from "../../../src/protocol/message.ts";
import type { ApiMessage, ModelRequest } from "../../../src/protocol/model.ts";

/** Records → conversation: what a resume would see. Tombstoned messages are gone, a boundary replaces what was before it. */
export function fold(records: readonly Message[]): Message[] {
  let messages: Message[] = [];
  for (const record of records) {
    if (record.type === "compact_boundary") messages = [...record.messages];
    else if (record.type === "tombstone") {
      const dropped = new Set(record.targets);
      messages = messages.filter((message) => !dropped.has(message.uuid));
    } else messages.push(record);
  }
  return messages;
}

export function callsOf(messages: readonly Message[]): ToolUseBlock[] {
  return messages.flatMap((message) =>
    message.type === "assistant" && message.apiError === undefined
      ? message.content.filter((block) => block.type === "tool_use")
      : [],
  );
}

/** Every call has exactly one result, and no result is without a call. */
export function pairingFaults(messages: readonly Message[]): string[] {
  const counts = new Map<string, number>();
  for (const message of messages)
    if (message.type === "user")
      for (const block of message.content)
        if (block.type === "tool_result") counts.set(block.tool_use_id, (counts.get(block.tool_use_id) ?? 0) + 1);
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const { id } of callsOf(messages)) {
    if (seen.has(id)) faults.push(`two calls share the id ${id}`);
    seen.add(id);
    const count = counts.get(id) ?? 0;
    if (count !== 1) faults.push(`the call ${id} has ${count} results`);
    counts.delete(id);
  }
  for (const id of counts.keys()) faults.push(`the result of ${id} has no call`);
  return faults;
}

/** I1, I2, I3 (its visible part), I4 and I6 of one request. */
export function requestFaults(request: Pick<ModelRequest, "messages" | "cacheBreakpoints">, paused = false): string[] {
  const { messages } = request;
  const faults: string[] = [];
  if (messages[0]?.role !== "user") faults.push("I1: the first message is not the user's");
  if (!paused && messages.at(-1)?.role !== "user") faults.push("I1: the last message is not the user's");
  messages.forEach((message, at) => {
    if (message.content.length === 0) faults.push(`I1: message ${at} is empty`);
    if (at > 0 && messages[at - 1]?.role === message.role)
      faults.push(`I1: two ${message.role} messages in a row at ${at}`);
    for (const block of message.content) faults.push(...blockFaults(block, message.role, at));
  });
  const isLastPaused = (at: number): boolean => paused && at === messages.length - 1;
  faults.push(...messages.flatMap((message, at) => pairFaults(message, messages[at + 1], at, isLastPaused(at))));
  faults.push(...idFaults(messages), ...breakpointFaults(request));
  return faults;
}

const assistantTypes = new Set(["text", "thinking", "redacted_thinking", "tool_use", "opaque"]);
const userTypes = new Set(["text", "image", "document", "tool_result", "opaque"]);

function blockFaults(block: ContentBlock, role: ApiMessage["role"], at: number): string[] {
  const faults: string[] = [];
  const allowed = role === "assistant" ? assistantTypes : userTypes;
  if (!allowed.has(block.type)) faults.push(`I4: a ${block.type} block in the ${role} message ${at}`);
  if (block.type === "text" && block.text.trim() === "") faults.push(`I1: empty text in message ${at}`);
  if (block.type === "thinking" && (block.signature ?? "") === "")
    faults.push(`I3: unsigned thinking in message ${at}`);
  if (block.type === "tool_result") faults.push(...resultFaults(block, at));
  return faults;
}

function resultFaults(block: ToolResultBlock, at: number): string[] {
  const { content } = block;
  if (typeof content === "string")
    return block.is_error === true && content === "" ? [`I1: an error result without content in message ${at}`] : [];
  const faults: string[] = [];
  if (block.is_error === true && content.length === 0)
    faults.push(`I1: an error result without content in message ${at}`);
  for (const inner of content) {
    if (inner.type === "text" && inner.text.trim() === "") faults.push(`I1: empty text in a result of message ${at}`);
    if (block.is_error === true && inner.type !== "text")
      faults.push(`I1: an error result of message ${at} holds something else than text`);
  }
  return faults;
}

function pairFaults(message: ApiMessage, next: ApiMessage | undefined, at: number, isPaused: boolean): string[] {
  const faults: string[] = [];
  if (message.role === "assistant") {
    const last = message.content.at(-1);
    if (!isPaused && (last?.type === "thinking" || last?.type === "redacted_thinking"))
      faults.push(`I3: message ${at} ends with thinking`);
    faults.push(...serverFaults(message, at, isPaused));
    const calls = message.content.filter((block) => block.type === "tool_use").map((block) => block.id);
    const results = leadingResults(next);
    for (const id of calls)
      if (!results.includes(id)) faults.push(`I2: ${id} of message ${at} has no result in the next`);
  }
  if (message.role !== "user") return faults;
  const leading = leadingResults(message);
  const all = message.content.filter((block) => block.type === "tool_result");
  if (all.length !== leading.length) faults.push(`I2: results of message ${at} do not come first`);
  if (new Set(leading).size !== leading.length) faults.push(`I2: message ${at} answers a call twice`);
  return faults;
}

function leadingResults(message: ApiMessage | undefined): string[] {
  const ids: string[] = [];
  for (const block of message?.content ?? []) {
    if (block.type !== "tool_result") break;
    ids.push(block.tool_use_id);
  }
  return ids;
}

/** The provider's own calls: each with its result in the same message, and no result without its call before it. */
function serverFaults(message: ApiMessage, at: number, isPaused: boolean): string[] {
  const open = new Set<unknown>();
  const faults: string[] = [];
  for (const block of message.content) {
    if (block.type !== "opaque") continue;
    const { wire } = block;
    if (wire["type"] === "server_tool_use" || wire["type"] === "mcp_tool_use") open.add(wire["id"]);
    else if (wire["tool_use_id"] !== undefined && !open.delete(wire["tool_use_id"]))
      faults.push(`I2: a server result without its call in message ${at}`);
  }
  if (open.size > 0 && !isPaused) faults.push(`I2: a server call without its result in message ${at}`);
  return faults;
}

function idFaults(messages: readonly ApiMessage[]): string[] {
  const faults: string[] = [];
  const calls = new Set<string>();
  messages.forEach((message, at) => {
    const before = messages[at - 1]?.content ?? [];
    const own = new Set<string>();
    for (const block of message.content) {
      const id = block.type === "tool_use" ? block.id : serverCallId(block);
      if (id !== null) {
        if (calls.has(id)) faults.push(`I2: the id ${id} is used twice`);
        calls.add(id);
      }
      if (block.type !== "tool_result") continue;
      if (!before.some((call) => call.type === "tool_use" && call.id === block.tool_use_id))
        faults.push(`I2: the result of ${block.tool_use_id} in message ${at} has no call before it`);
      if (own.has(block.tool_use_id)) faults.push(`I2: ${block.tool_use_id} is answered twice`);
      own.add(block.tool_use_id);
    }
  });
  return faults;
}

function serverCallId(block: ContentBlock): string | null {
  if (block.type !== "opaque") return null;
  const isCall = block.wire["type"] === "server_tool_use" || block.wire["type"] === "mcp_tool_use";
  return isCall ? String(block.wire["id"]) : null;
}

function breakpointFaults({
  messages,
  cacheBreakpoints,
}: Pick<ModelRequest, "messages" | "cacheBreakpoints">): string[] {
  const faults: string[] = [];
  if (cacheBreakpoints.length > 3) faults.push("I6: more than three breakpoints in the messages, beside the system's");
  cacheBreakpoints.forEach((index, at) => {
    if (messages[index] === undefined) faults.push("I6: a breakpoint outside the messages");
    if (at > 0 && index <= cacheBreakpoints[at - 1]!) faults.push("I6: breakpoints are not ascending");
  });
  const lastUser = messages.findLastIndex((message) => message.role === "user");
  if (cacheBreakpoints.at(-1) !== lastUser) faults.push("I6: the last breakpoint is not at the tail");
  return faults;
}

/**
 * Values that would not survive the journal of a durable engine: undefined, class instances, functions, dates.
 * `plain` has what was looked at before and is ignored: messages cross many ports.
 */
export function plainFaults(value: unknown, name: string, plain: Set<object> = new Set()): string[] {
  const found = unplain(value, plain);
  return found === null ? [] : [`${name} holds ${found}`];
}

function unplain(value: unknown, plain: Set<object>): string | null {
  if (value === null || typeof value === "string" || typeof value === "boolean") return null;
  if (typeof value === "number") return Number.isFinite(value) ? null : String(value);
  if (typeof value !== "object") return typeof value;
  if (plain.has(value)) return null;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const found = unplain(value[at], plain);
      if (found !== null) return `${found} at ${at}`;
    }
    plain.add(value);
    return null;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return "an instance of a class";
  // No list of what it holds is made first: all that crosses a port goes through here, in thousands of runs.
  for (const key in value) {
    const found = unplain((value as Record<string, unknown>)[key], plain);
    if (found !== null) return `${found} at ${key}`;
  }
  plain.add(value);
  return null;
}

const asJson = new WeakMap<object, string>();

/** What several checks of one finished run compare as JSON is made once. */
export function jsonOf(value: object): string {
  let json = asJson.get(value);
  if (json === undefined) asJson.set(value, (json = JSON.stringify(value)));
  return json;
}

/** Content up to and including a message, as a flat list: what a cache prefix is made of. */
function prefixOf(messages: readonly ApiMessage[], end: number): string[] {
  return messages
    .slice(0, end + 1)
    .flatMap((message) => message.content.map((block) => `${message.role}:${jsonOf(block)}`));
}

/** I5: the later request begins with the earlier one's content up to its last breakpoint. */
export function prefixFaults(earlier: ModelRequest, later: ModelRequest): string[] {
  const end = earlier.cacheBreakpoints.at(-1);
  if (end === undefined) return [];
  const before = prefixOf(earlier.messages, end);
  const after = prefixOf(later.messages, later.messages.length - 1);
  const at = before.findIndex((block, index) => after[index] !== block);
  return at === -1 ? [] : [`I5: ${later.key} differs from ${earlier.key} at block ${at}`];
}
