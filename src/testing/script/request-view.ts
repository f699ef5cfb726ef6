/** A request as a script sees it: the few questions that scripts ask, answered from the body. */
import { asText, blocksOf, type Json, type WireBlock, type WireMessage, type WireRequest } from "../wire/types.ts";

export interface ToolResultView {
  id: string;
  /** The tool name of the call that this result answers; empty if the call is not in the request. */
  tool: string;
  input: Json;
  /** Text blocks joined by newlines. */
  text: string;
  isError: boolean;
}

export class RequestView {
  readonly body: WireRequest;
  readonly headers: Readonly<Record<string, string>>;
  /** The nth `/v1/messages` call the server has seen, from 1. */
  readonly call: number;
  /** The nth call of this conversation, from 1. */
  readonly conversationCall: number;

  constructor(body: WireRequest, headers: Record<string, string>, call: number, conversationCall: number) {
    this.body = body;
    this.headers = headers;
    this.call = call;
    this.conversationCall = conversationCall;
  }

  get model(): string {
    return this.body.model;
  }

  get messages(): WireMessage[] {
    return this.body.messages;
  }

  get systemText(): string {
    return textOf(this.body.system);
  }

  /** Names of the tools on offer. */
  get tools(): string[] {
    return (this.body.tools ?? []).map((tool) => tool.name);
  }

  /** Number of assistant messages. */
  get turns(): number {
    let count = 0;
    for (const message of this.messages) if (message.role === "assistant") count++;
    return count;
  }

  /** Text of the last user message that has any; tool results do not count. */
  get lastUserText(): string {
    return this.#userText(this.messages.toReversed());
  }

  get firstUserText(): string {
    return this.#userText(this.messages);
  }

  /** Every tool result, oldest first. */
  get toolResults(): ToolResultView[] {
    return resultsIn(this.messages, this.messages);
  }

  /** The results sent since the last assistant message, in their order. */
  get lastToolResults(): ToolResultView[] {
    const last = this.messages.findLastIndex((message) => message.role === "assistant");
    return resultsIn(this.messages.slice(last + 1), this.messages.slice(Math.max(last, 0)));
  }

  hasTool(...names: string[]): boolean {
    return names.some((name) => this.tools.includes(name));
  }

  #userText(messages: WireMessage[]): string {
    for (const message of messages) {
      if (message.role !== "user") continue;
      const text = textOf(message.content);
      if (text !== "") return text;
    }
    return "";
  }
}

function textOf(content: string | WireBlock[] | undefined): string {
  if (typeof content === "string") return content;
  const texts: string[] = [];
  for (const block of content ?? []) {
    if (block.type === "text" && typeof block["text"] === "string") texts.push(block["text"]);
  }
  return texts.join("\n");
}

function resultsIn(where: WireMessage[], callsIn: WireMessage[]): ToolResultView[] {
  const calls = new Map<string, WireBlock>();
  for (const message of callsIn) {
    if (message.role !== "assistant") continue;
    for (const block of blocksOf(message.content)) {
      if (block.type === "tool_use" && typeof block["id"] === "string") calls.set(block["id"], block);
    }
  }
  const found: ToolResultView[] = [];
  for (const message of where) {
    if (message.role !== "user") continue;
    for (const block of blocksOf(message.content)) {
      if (block.type !== "tool_result") continue;
      const id = asText(block["tool_use_id"]);
      const call = calls.get(id);
      found.push({
        id,
        tool: typeof call?.["name"] === "string" ? call["name"] : "",
        input: (call?.["input"] ?? {}) as Json,
        text: textOf(block["content"] as string | WireBlock[] | undefined),
        isError: block["is_error"] === true,
      });
    }
  }
  return found;
}
