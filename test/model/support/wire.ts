// What the tests of this room say and hear on the wire.
import type { ApiMessage, ModelEvent, ModelOutcome, ModelPort, ModelRequest } from "../../../src/protocol/model.ts";
import type { Transport, TransportRequest } from "../../../src/model/index.ts";

export function modelRequest(change: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "claude-sonnet-5-5",
    system: [{ text: "You are pawl.", cacheBreakpoint: true }],
    tools: [{ name: "Read", description: "Reads a file.", inputSchema: { type: "object" } }],
    messages: [user("hello")],
    cacheBreakpoints: [0],
    maxTokens: 8000,
    thinking: { type: "auto" },
    querySource: "main",
    sessionId: "session",
    key: "t1.model",
    ...change,
  };
}

export function user(text: string): ApiMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

export type WireEvent = { type: string; [key: string]: unknown };

export function sse(...events: WireEvent[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

export const start = (usage: object = { input_tokens: 10, output_tokens: 1 }): WireEvent => ({
  type: "message_start",
  message: { id: "msg_1", type: "message", role: "assistant", content: [], stop_reason: null, usage },
});
export const open = (index: number, content_block: object): WireEvent => ({
  type: "content_block_start",
  index,
  content_block,
});
export const delta = (index: number, change: object): WireEvent => ({
  type: "content_block_delta",
  index,
  delta: change,
});
export const text = (index: number, words: string): WireEvent => delta(index, { type: "text_delta", text: words });
export const json = (index: number, partial_json: string): WireEvent =>
  delta(index, { type: "input_json_delta", partial_json });
export const close = (index: number): WireEvent => ({ type: "content_block_stop", index });
export const end = (stop_reason: string | null = "end_turn", usage: object = { output_tokens: 20 }): WireEvent => ({
  type: "message_delta",
  delta: { stop_reason, stop_sequence: null },
  usage,
});
export const stop: WireEvent = { type: "message_stop" };

export const textBlock = (index: number, words: string): WireEvent[] => [
  open(index, { type: "text", text: "" }),
  text(index, words),
  close(index),
];
export const toolBlock = (index: number, id: string, partial_json: string): WireEvent[] => [
  open(index, { type: "tool_use", id, name: "Read", input: {} }),
  ...(partial_json === "" ? [] : [json(index, partial_json)]),
  close(index),
];

/** The text of a request's body. */
export const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

/** A whole answer that says `words`. */
export const said = (words: string): string => sse(start(), ...textBlock(0, words), end(), stop);

/** Never yields again, whatever the signal does. */
export const hang = Symbol("hang");

/** Bytes, an error that breaks the connection there, or `hang`. */
export type Piece = string | Uint8Array | Error | typeof hang;

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  /** In order. */
  body?: Piece[];
}

export const streaming = { "content-type": "text/event-stream", "request-id": "req_1" };

/** A transport that gives these answers in turn, and remembers what it was sent. */
export function answering(...answers: (Answer | string | Error)[]): Transport & { requests: TransportRequest[] } {
  const requests: TransportRequest[] = [];
  const transport: Transport = (request) => {
    const answer = answers[requests.length];
    requests.push(request);
    if (answer === undefined) return Promise.reject(new Error("no answer left"));
    if (answer instanceof Error) return Promise.reject(answer);
    const { status = 200, headers = streaming, body = [] } = typeof answer === "string" ? { body: [answer] } : answer;
    return Promise.resolve({ status, headers, body: pieces(body) });
  };
  return Object.assign(transport, { requests });
}

export async function* pieces(body: Piece[]): AsyncGenerator<Uint8Array> {
  for (const piece of body) {
    if (piece instanceof Error) throw piece;
    if (piece === hang) await new Promise(() => undefined);
    else yield typeof piece === "string" ? Buffer.from(piece) : piece;
  }
}

export interface Heard {
  events: ModelEvent[];
  outcome: ModelOutcome;
}

export async function hear(
  model: ModelPort,
  request: ModelRequest = modelRequest(),
  signal: AbortSignal = new AbortController().signal,
  onEvent: (event: ModelEvent) => void = () => undefined,
): Promise<Heard> {
  const stream = model.stream(request, signal);
  const events: ModelEvent[] = [];
  for (;;) {
    const result = await stream.next();
    if (result.done === true) return { events, outcome: result.value };
    events.push(result.value);
    onEvent(result.value);
  }
}

export const blocksOf = (events: ModelEvent[]): Extract<ModelEvent, { type: "block" }>[] =>
  events.filter((event) => event.type === "block");

/** The failure of an outcome that must be one. */
export function failureOf(outcome: ModelOutcome): Extract<ModelOutcome, { ok: false }>["failure"] {
  if (outcome.ok) throw new Error("expected a failure");
  return outcome.failure;
}
