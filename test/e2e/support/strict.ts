/**
 * What a strict server demands of a request of the Messages API, and of the request that follows it in a conversation. Written
 * from the public documentation alone: it shares no code with the scripted model, so that they do not share mistakes.
 */
import { createHmac } from "node:crypto";

export type Json = Record<string, unknown>;

export interface WireMessage {
  role: string;
  content: Json[];
}

export interface WireRequest extends Json {
  model: string;
  max_tokens: number;
  messages: WireMessage[];
  system?: Json[];
  tools?: Json[];
}

const blockTypes: Record<string, readonly string[]> = {
  user: ["text", "image", "document", "tool_result"],
  assistant: ["text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "web_search_tool_result"],
};

export function blocksOf(message: WireMessage): Json[] {
  return typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
}

/** A block's bytes without its cache mark. */
function bare(block: Json): string {
  const { cache_control: _, ...rest } = block;
  return JSON.stringify(rest);
}

/** Everything the model reads, part by part, in order: signatures are bound to the parts before them, and the cache keeps a prefix of them. */
export function prefixOf(request: WireRequest): string[] {
  const parts = [...(request.tools ?? []), ...(request.system ?? [])].map(bare);
  for (const message of request.messages)
    for (const block of blocksOf(message)) parts.push(`${message.role} ${bare(block)}`);
  return parts;
}

/** Signs thinking together with everything that comes before it, as models with preserved thinking do. */
export function sign(before: readonly string[], thinking: string): string {
  const mac = createHmac("sha256", "strict");
  for (const part of before) mac.update(part).update("\n");
  return mac.update(`|${thinking}`).digest("base64");
}

/** Describes every rule the request breaks. Empty if a real server would accept the request. */
export function problemsOf(request: WireRequest, options: { signatures: boolean } = { signatures: true }): string[] {
  const found: string[] = [];
  const say = (problem: string): void => void found.push(problem);
  if (typeof request.model !== "string" || request.model === "") say("model: field required");
  if (!Number.isInteger(request.max_tokens) || request.max_tokens < 1) say(`max_tokens: ${request.max_tokens}`);
  if (!Array.isArray(request.messages) || request.messages.length === 0) return [...found, "messages: empty"];
  toolProblems(request, say);
  marks(request, say);
  // A model of another provider may leave thinking unsigned.
  const signs = /claude/.test(request.model);
  for (const [at, message] of request.messages.entries()) {
    const before = request.messages[at - 1];
    if (before?.role === message.role) say(`messages.${at}: two ${message.role} messages in a row`);
    contentProblems(message, `messages.${at}`, { say, signs });
  }
  if (request.messages[0]?.role !== "user") say("messages.0: the first message must be the user's");
  const last = request.messages.at(-1);
  const lastBlock = last === undefined ? undefined : blocksOf(last).at(-1);
  if (last?.role === "assistant" && !/^server_tool_use$|_tool_result$/.test(String(lastBlock?.["type"])))
    say("the conversation must end with a user message");
  pairing(request.messages, say);
  if (options.signatures) signatures(request, say);
  return found;
}

type Say = (problem: string) => void;

function toolProblems(request: WireRequest, say: Say): void {
  const names = new Set<unknown>();
  for (const [at, tool] of (request.tools ?? []).entries()) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(tool["name"]))) say(`tools.${at}.name: ${String(tool["name"])}`);
    if (names.has(tool["name"])) say(`tools.${at}: the name is not unique`);
    names.add(tool["name"]);
    if ((tool["input_schema"] as Json | undefined)?.["type"] !== "object") say(`tools.${at}.input_schema: no object`);
  }
}

function contentProblems(message: WireMessage, at: string, { say, signs }: { say: Say; signs: boolean }): void {
  const known = blockTypes[message.role];
  if (known === undefined) return say(`${at}.role: ${message.role}`);
  const blocks = blocksOf(message);
  if (blocks.length === 0) say(`${at}: all messages must have non-empty content`);
  if (message.role === "assistant" && /thinking/.test(String(blocks.at(-1)?.["type"])))
    say(`${at}: the final block of an assistant message cannot be thinking`);
  for (const [index, block] of blocks.entries()) {
    const where = `${at}.content.${index}`;
    const type = String(block["type"]);
    if (!known.includes(type)) say(`${where}: ${message.role} messages hold no ${type}`);
    if (type === "text" && (typeof block["text"] !== "string" || block["text"].trim() === ""))
      say(`${where}: text content blocks must contain non-whitespace text`);
    if (type === "thinking" && (typeof block["thinking"] !== "string" || (signs && !block["signature"])))
      say(`${where}: thinking without text or signature`);
    if (type === "tool_use") callProblems(block, where, say);
    if (type === "tool_result") resultProblems(block, where, say);
  }
}

function callProblems(block: Json, where: string, say: Say): void {
  if (!/^[a-zA-Z0-9_-]+$/.test(String(block["id"]))) say(`${where}.id: ${String(block["id"])}`);
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(block["name"]))) say(`${where}.name: ${String(block["name"])}`);
  const { input } = block;
  if (typeof input !== "object" || input === null || Array.isArray(input)) say(`${where}.input: no dictionary`);
  for (const field of Object.keys(block))
    if (!["type", "id", "name", "input", "cache_control", "caller"].includes(field))
      say(`${where}.${field}: extra inputs are not permitted`);
}

function resultProblems(block: Json, where: string, say: Say): void {
  const { content } = block;
  for (const field of Object.keys(block))
    if (!["type", "tool_use_id", "content", "is_error", "cache_control"].includes(field))
      say(`${where}.${field}: extra inputs are not permitted`);
  if (content === undefined) return;
  if (typeof content === "string") {
    if (content === "" && block["is_error"] === true) say(`${where}: an error without text`);
    return;
  }
  if (!Array.isArray(content)) return say(`${where}.content: neither text nor a list`);
  for (const [at, inner] of (content as Json[]).entries()) {
    if (!["text", "image", "document"].includes(String(inner["type"])))
      say(`${where}.content.${at}: ${String(inner["type"])}`);
    if (inner["type"] === "text" && String(inner["text"]).trim() === "") say(`${where}.content.${at}: empty text`);
    if (block["is_error"] === true && inner["type"] !== "text")
      say(`${where}.content.${at}: an error holds text alone`);
  }
}

function pairing(messages: readonly WireMessage[], say: Say): void {
  const ids = new Set<unknown>();
  for (const [at, message] of messages.entries()) {
    const blocks = blocksOf(message);
    if (message.role === "user") {
      strayResults(blocks, messages[at - 1], `messages.${at}`, say);
      continue;
    }
    const calls = blocks.filter((block) => block["type"] === "tool_use");
    const next = messages[at + 1];
    const answered = next === undefined ? [] : blocksOf(next).map((block) => block["tool_use_id"]);
    for (const call of calls) {
      if (ids.has(call["id"])) say(`messages.${at}: tool_use ids must be unique: ${String(call["id"])}`);
      ids.add(call["id"]);
      if (!answered.includes(call["id"]))
        say(
          `messages.${at}: tool_use ids were found without tool_result blocks immediately after: ${String(call["id"])}`,
        );
    }
  }
}

/** Tool results come first, one for each call, and only for calls of the message right before. */
function strayResults(blocks: readonly Json[], before: WireMessage | undefined, at: string, say: Say): void {
  const calls = new Set<unknown>();
  if (before?.role === "assistant")
    for (const block of blocksOf(before)) if (block["type"] === "tool_use") calls.add(block["id"]);
  let isOther = false;
  for (const block of blocks) {
    if (block["type"] !== "tool_result") {
      isOther = true;
      continue;
    }
    if (isOther) say(`${at}: a tool_result after other content`);
    if (!calls.delete(block["tool_use_id"]))
      say(`${at}: unexpected tool_use_id found in tool_result blocks: ${String(block["tool_use_id"])}`);
  }
}

function marks(request: WireRequest, say: Say): void {
  const lists: [string, Json[]][] = [
    ["tools", request.tools ?? []],
    ["system", request.system ?? []],
  ];
  for (const [at, message] of request.messages.entries()) lists.push([`messages.${at}`, blocksOf(message)]);
  let count = 0;
  for (const [where, blocks] of lists) {
    for (const block of blocks) {
      if (block["cache_control"] === undefined) continue;
      count++;
      if (/thinking/.test(String(block["type"]))) say(`${where}: cache_control on thinking`);
      if (block["type"] === "text" && block["text"] === "") say(`${where}: cache_control on empty text`);
    }
  }
  if (count > 4) say(`a maximum of 4 blocks with cache_control may be provided. Found ${count}.`);
  const tail = request.messages.at(-1);
  if (count > 0 && tail?.role === "user" && blocksOf(tail).every((block) => block["cache_control"] === undefined))
    say("no breakpoint moves with the tail");
}

function signatures(request: WireRequest, say: Say): void {
  const before = [...(request.tools ?? []), ...(request.system ?? [])].map(bare);
  for (const [at, message] of request.messages.entries()) {
    for (const [index, block] of blocksOf(message).entries()) {
      if (block["type"] === "thinking" && block["signature"] !== sign(before, String(block["thinking"])))
        say(`messages.${at}.content.${index}: Invalid \`signature\` in \`thinking\` block.`);
      before.push(`${message.role} ${bare(block)}`);
    }
  }
}

/** Returns null if `next` begins with all of `previous`, otherwise a description of the first difference. */
export function prefixBreak(previous: WireRequest, next: WireRequest): string | null {
  const [old, now] = [prefixOf(previous), prefixOf(next)];
  for (const [at, part] of old.entries())
    if (now[at] !== part) return `part ${at}: ${part.slice(0, 200)} became ${String(now[at]).slice(0, 200)}`;
  return null;
}

/** Compares the bytes as they were sent, without cache breakpoints: they must be equal up to the end of the old conversation. */
export function bytesBreak(previous: string, next: string): string | null {
  const clean = (body: string): string => body.replaceAll(/,"cache_control":\{[^{}]*\}/g, "");
  const [old, now] = [clean(previous), clean(next)];
  const end = old.lastIndexOf("]}]");
  for (let at = 0; at < end; at++)
    if (old[at] !== now[at])
      return `byte ${at} of ${end}: ${old.slice(at - 40, at + 40)} became ${now.slice(at - 40, at + 40)}`;
  return null;
}
