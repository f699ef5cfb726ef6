/** A client of the scripted model that knows nothing of the rest of the package: raw requests, raw events. */
import {
  createScriptedModel,
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
} from "../../src/testing/index.ts";
import { stringOrEmpty, type JsonObject, type WireBlock, type WireMessage } from "../../src/testing/wire/types.ts";

export const headers = { "x-api-key": "key", "anthropic-version": "2023-06-01", "content-type": "application/json" };

export const readTool = {
  name: "Read",
  description: "Reads a file",
  input_schema: { type: "object", properties: { file_path: { type: "string" } } },
};

/** A valid request on a model without default thinking, with anything in it replaced. */
export function request(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    model: "claude-opus-4-7",
    max_tokens: 1000,
    messages: [{ role: "user", content: "hello" }],
    ...changes,
  };
}

export interface Event {
  event: string;
  data: { [key: string]: unknown };
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** Set where the body ended with an error. */
  error: unknown;
  events: Event[];
  json: unknown;
}

export async function post(
  model: Pick<ScriptedModel, "handle">,
  body: unknown,
  options: { headers?: Record<string, string>; path?: string; signal?: AbortSignal } = {},
): Promise<Answer> {
  const response = await model.handle({
    method: "POST",
    path: options.path ?? "/v1/messages",
    headers: options.headers ?? headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const chunks: Uint8Array[] = [];
  let error: unknown;
  try {
    for await (const chunk of response.body) chunks.push(chunk);
  } catch (thrown) {
    error = thrown;
  }
  const text = Buffer.concat(chunks).toString("utf8");
  const isStream = response.headers["content-type"]?.startsWith("text/event-stream") === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    error,
    events: isStream ? eventsOf(text) : [],
    json: isStream || text === "" ? undefined : JSON.parse(text),
  };
}

export function eventsOf(text: string): Event[] {
  return text
    .split("\n\n")
    .map((frame) => /(?:^|\n)event: (.*)\ndata: (.*)$/.exec(frame))
    .filter((match) => match !== null && match[1] !== "mystery")
    .map((match) => ({ event: match?.[1] as string, data: JSON.parse(match?.[2] as string) }));
}

/** The message that a stream adds up to, as a client would send it back. Incomplete blocks are left out. */
export function messageOf(events: Event[]): WireMessage {
  const content: WireBlock[] = [];
  const inputs: string[] = [];
  const complete = new Set<number>();
  for (const { event, data } of events) {
    const index = Number(data["index"]);
    if (event === "content_block_start") {
      content[index] = { ...(data["content_block"] as WireBlock) };
      inputs[index] = "";
    } else if (event === "content_block_delta") {
      apply(content[index] as WireBlock, data["delta"] as JsonObject, inputs, index);
    } else if (event === "content_block_stop") complete.add(index);
  }
  content.forEach((block, index) => {
    if (block.type.endsWith("tool_use"))
      block["input"] = inputs[index] === "" ? {} : JSON.parse(inputs[index] as string);
  });
  return { role: "assistant", content: content.filter((_, index) => complete.has(index)) };
}

function apply(block: WireBlock, delta: JsonObject, inputs: string[], index: number): void {
  switch (delta["type"]) {
    case "text_delta":
      block["text"] = stringOrEmpty(block["text"]) + stringOrEmpty(delta["text"]);
      break;
    case "thinking_delta":
      block["thinking"] = stringOrEmpty(block["thinking"]) + stringOrEmpty(delta["thinking"]);
      break;
    case "signature_delta":
      block["signature"] = delta["signature"];
      break;
    case "compaction_delta":
      block["content"] = stringOrEmpty(block["content"]) + stringOrEmpty(delta["content"]);
      break;
    case "input_json_delta":
      inputs[index] += stringOrEmpty(delta["partial_json"]);
      break;
    default:
  }
}

export function errorText(answer: Answer): string {
  return (answer.json as { error: { message: string } }).error.message;
}

/** Results for every call of a message, in order. */
export function resultsFor(message: WireMessage, text: string | ((block: WireBlock) => string) = "ok"): WireMessage {
  const calls = (message.content as WireBlock[]).filter((block) => block.type === "tool_use");
  return {
    role: "user",
    content: calls.map((block) => ({
      type: "tool_result",
      tool_use_id: block["id"],
      content: typeof text === "string" ? text : text(block),
    })),
  };
}

/** One exchange over a conversation that is kept: sends, echoes the answer, returns it. */
export class Conversation {
  readonly messages: WireMessage[] = [];
  readonly model: Pick<ScriptedModel, "handle">;
  base: Record<string, unknown>;

  constructor(model: Pick<ScriptedModel, "handle">, base: Record<string, unknown> = {}) {
    this.model = model;
    this.base = { stream: true, tools: [readTool], ...base };
  }

  async say(content: WireMessage["content"]): Promise<Answer & { message: WireMessage }> {
    this.messages.push({ role: "user", content });
    return await this.resend();
  }

  async resend(): Promise<Answer & { message: WireMessage }> {
    const answer = await post(this.model, request({ ...this.base, messages: this.messages }));
    const message = messageOf(answer.events);
    if (answer.status === 200 && answer.error === undefined) this.messages.push(message);
    return { ...answer, message };
  }
}

/** A model whose clock stands still unless moved and whose sleeps are over at once and counted. */
export function testModel(script: Script, options: ScriptedModelOptions = {}) {
  const clock = { now: 1_000_000 };
  const sleeps: number[] = [];
  const model = createScriptedModel(script, {
    now: () => clock.now,
    sleep: async (milliseconds) => {
      sleeps.push(milliseconds);
      await Promise.resolve();
    },
    ...options,
  });
  return { model, clock, sleeps };
}
