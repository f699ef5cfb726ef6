/** A Messages API on a loopback port that answers as a test demands: whole, in small pieces, cut, reset, late or never. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Json, WireRequest } from "./strict.ts";

/** The form of a stream's bytes, and how they arrive. */
export interface Look {
  eol?: "\n" | "\r\n" | "\r";
  /** Bytes per write; 1 splits every multi-byte character. Default: one event per write. */
  chunk?: number;
  /** The pause between writes, ms. */
  dripMs?: number;
  /** Adds comments, pings, unknown events, and the format's fields other than data. */
  noise?: boolean;
  contentType?: string;
  /** Leaves out the `event:` lines. */
  unnamed?: boolean;
}

export type Answer =
  | { kind: "plain"; status: number; headers?: Record<string, string>; body: string }
  | { kind: "stream"; events: Json[]; look?: Look; headers?: Record<string, string>; last?: "end" | "reset" | "hang" }
  /** The connection is closed without an answer. */
  | { kind: "reset" }
  /** No answer ever comes. */
  | { kind: "hang" };

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  /** The body as received. */
  text: string;
  body: WireRequest;
}

export interface WireServer {
  url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Bytes written to the open connections so far. */
  sent(): number;
  /** Resolves once `count` requests have arrived. */
  whenAsked(count: number): Promise<void>;
  close(): Promise<void>;
}

export type Answerer = (asked: ReceivedRequest, index: number) => Answer | Promise<Answer>;

export interface WireOptions {
  /** Returns whether to close the connection after an answer, without having announced it. */
  dropsIdle?: () => boolean;
}

export async function startWire(answer: Answerer, options: WireOptions = {}): Promise<WireServer> {
  const requests: ReceivedRequest[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const sockets = new Set<Socket>();
  const failures: unknown[] = [];
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      failures.push(error);
      incoming.socket.destroy();
    });
  });
  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = Buffer.concat(await incoming.toArray()).toString("utf8");
    const asked: ReceivedRequest = {
      method: incoming.method ?? "",
      path: incoming.url ?? "",
      headers: incoming.headers,
      text,
      body: (text === "" ? {} : JSON.parse(text)) as WireRequest,
    };
    requests.push(asked);
    for (const wait of waiting) if (requests.length >= wait.count) wait.resolve();
    response.on("error", () => undefined);
    await send(await answer(asked, requests.length - 1), response);
    if (options.dropsIdle?.() === true) incoming.socket.destroySoon();
  }
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    sent: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    whenAsked: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      if (failures.length > 0) throw failures[0];
    },
  };
}

async function send(answer: Answer, response: ServerResponse): Promise<void> {
  switch (answer.kind) {
    case "hang":
      return;
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "plain":
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
      response.end(answer.body);
      return;
    case "stream":
      return await stream(answer, response);
    default:
      answer satisfies never;
  }
}

async function stream(answer: Extract<Answer, { kind: "stream" }>, response: ServerResponse): Promise<void> {
  const { events, look = {}, headers, last = "end" } = answer;
  response.writeHead(200, { "content-type": look.contentType ?? "text/event-stream; charset=utf-8", ...headers });
  for (const piece of pieces(events, look)) {
    if (response.destroyed) return;
    await new Promise<void>((resolve) => void response.write(piece, () => resolve()));
    if (look.dripMs !== undefined) await new Promise((resolve) => setTimeout(resolve, look.dripMs));
    else if (look.chunk !== undefined) await new Promise((resolve) => setImmediate(resolve));
  }
  if (last === "reset") response.socket?.resetAndDestroy();
  else if (last === "end") await new Promise<void>((resolve) => void response.end(resolve));
}

/** The bytes of the events, cut into writes. */
function* pieces(events: readonly Json[], look: Look): Generator<Buffer> {
  const { eol = "\n", chunk, noise = false, unnamed = false } = look;
  for (const [at, event] of events.entries()) {
    const lines: string[] = [];
    if (noise && at % 3 === 1) lines.push(": a comment", ":", "");
    if (noise && at % 4 === 2) lines.push("event: ping", 'data: {"type": "ping"}', "");
    if (noise && at % 5 === 3)
      lines.push("event: weather", 'data: {"type":"weather","index":0,"delta":{"type":"rain"}}', "");
    if (noise && at % 7 === 4) lines.push("id: 7", "retry: 100", "nonsense", "");
    if (!unnamed) lines.push(`event: ${String(event["type"])}`);
    const data = JSON.stringify(event);
    // A line break inside JSON may be sent as a second data line.
    if (noise && at % 6 === 5)
      lines.push(
        ...data
          .replace(/,/, ",\n")
          .split("\n")
          .map((line) => `data: ${line}`),
      );
    else lines.push(noise && at % 2 === 0 ? `data:${data}` : `data: ${data}`);
    const bytes = Buffer.from(lines.map((line) => `${line}${eol}`).join("") + eol);
    for (let from = 0; from < bytes.length; from += chunk ?? bytes.length)
      yield bytes.subarray(from, from + (chunk ?? bytes.length));
  }
}

/** The events of a streamed message with these blocks. */
export function messageEvents(
  blocks: readonly Json[],
  options: { id?: string; stopReason?: string | null; usage?: Json; endUsage?: Json | null; splits?: number } = {},
): Json[] {
  const { id = `msg_${Math.trunc(Math.random() * 1e9)}`, stopReason = "end_turn", splits = 3 } = options;
  const usage = options.usage ?? { input_tokens: 10, output_tokens: 1 };
  const events: Json[] = [
    {
      type: "message_start",
      message: {
        id,
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage,
      },
    },
  ];
  for (const [index, block] of blocks.entries()) events.push(...blockEvents(index, block, splits));
  const delta: Json = { type: "message_delta", delta: { stop_reason: stopReason, stop_sequence: null } };
  const endUsage = options.endUsage === undefined ? { output_tokens: 20 } : options.endUsage;
  if (endUsage !== null) delta["usage"] = endUsage;
  return [...events, delta, { type: "message_stop" }];
}

export function blockEvents(index: number, block: Json, splits: number): Json[] {
  const start = (content_block: Json): Json => ({ type: "content_block_start", index, content_block });
  const deltas = (type: string, field: string, text: string): Json[] =>
    parted(text, splits).map((part) => ({ type: "content_block_delta", index, delta: { type, [field]: part } }));
  const stop: Json = { type: "content_block_stop", index };
  switch (block["type"]) {
    case "text":
      return [start({ type: "text", text: "" }), ...deltas("text_delta", "text", String(block["text"])), stop];
    case "thinking":
      return [
        start({ type: "thinking", thinking: "", signature: "" }),
        ...deltas("thinking_delta", "thinking", String(block["thinking"])),
        { type: "content_block_delta", index, delta: { type: "signature_delta", signature: block["signature"] } },
        stop,
      ];
    case "tool_use": {
      const { input, raw, ...rest } = block;
      const json = typeof raw === "string" ? raw : JSON.stringify(input);
      return [start({ ...rest, input: {} }), ...deltas("input_json_delta", "partial_json", json), stop];
    }
    default:
      return [start(block), stop];
  }
}

/** Cuts the text into pieces, even between the halves of a surrogate pair. */
function parted(text: string, pieces: number): string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces));
  const parts: string[] = [];
  for (let from = 0; from < text.length; from += size) parts.push(text.slice(from, from + size));
  return parts;
}

export function errorBody(type: string, message: string): string {
  return JSON.stringify({ type: "error", error: { type, message }, request_id: "req_wire" });
}
