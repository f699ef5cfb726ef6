// An MCP server over HTTP by hand, as streamable HTTP at /mcp and as the older SSE at /sse, that can be made to fail as servers do.
import { onTestFinished } from "vitest";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Connection } from "../../src/mcp/connection.ts";
import type { McpWorld } from "../../src/mcp/world.ts";
import { toolNamed } from "./support.ts";

interface Message {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
}

/** What becomes of a call: an answer, or something else that is done with its stream. */
export type OnCall = (call: { params: Record<string, unknown>; id: unknown }, stream: CallStream) => unknown;

export interface CallStream {
  /** Over streamable HTTP the answer becomes a stream with this in it; over SSE it goes to the stream that there is. */
  send(message: Record<string, unknown>, eventId?: string): void;
  /** The same with an event of any text. */
  sendText(text: string): void;
  /** Ends the stream of the answer, or breaks it off. */
  end(how: "end" | "break"): void;
}

export const unanswered = Symbol("unanswered");

export class RemoteServer {
  tools = [toolNamed("echo")];
  capabilities: object = { tools: { listChanged: true }, resources: { listChanged: true } };
  /** What was asked of it, by method, with the session; streams as GET. */
  readonly seen: string[] = [];
  /** What clients answered to what it asked. */
  readonly answers: Message[] = [];
  onCall: OnCall = ({ params }) => ({ content: [{ type: "text", text: JSON.stringify(params["arguments"]) }] });
  /** Until when requests for the tools wait. */
  listed: Promise<void> = Promise.resolve();
  /** What it answers to a request for its tools, if not all of them. */
  onList: (params: Record<string, unknown>) => object | undefined = () => undefined;
  /** How it says that it does not know a session. */
  forgottenStatus = 404;
  forgottenWords = "Bad Request: No valid session ID provided";
  /** Whether it listens for listeners. */
  hasStream = true;
  /** How it says that it has taken a notification. */
  acceptNotification = (response: ServerResponse): void => void response.writeHead(202).end();
  /** Before anything else, where it answers. */
  door: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean> = () => true;
  /** Before a message with a method is handled; false if it has answered. */
  intercept: (method: string, response: ServerResponse) => boolean = () => true;
  readonly #sessions = new Set<string>();
  /** The open streams, by session. */
  readonly streams = new Map<string, ServerResponse>();
  #http: Server | undefined;
  #port = 0;
  #count = 0;

  async start(): Promise<this> {
    const http = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    this.#http = http;
    await new Promise<void>((resolve) => http.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (http.address() as AddressInfo).port;
    return this;
  }

  /** Gone; `start` brings it back at the same address, with no memory of sessions. */
  async stop(): Promise<void> {
    this.#sessions.clear();
    this.streams.clear();
    const http = this.#http;
    if (http === undefined) return;
    this.#http = undefined;
    http.closeAllConnections();
    await new Promise((resolve) => void http.close(resolve));
  }

  get base(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  url(type: "http" | "sse"): string {
    return `${this.base}/${type === "http" ? "mcp" : "sse"}`;
  }

  forget(): void {
    this.#sessions.clear();
  }

  dropStreams(how: "end" | "break" = "end"): void {
    for (const stream of this.streams.values())
      if (how === "end") stream.end();
      else stream.destroy();
    this.streams.clear();
  }

  /** To whoever listens. */
  notify(method: string, params: Record<string, unknown> = {}): void {
    for (const stream of this.streams.values()) write(stream, { jsonrpc: "2.0", method, params });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!(await this.door(request, response))) return;
    const { pathname, searchParams } = new URL(request.url ?? "/", this.base);
    if (pathname === "/mcp") await this.#streamable(request, response);
    else if (pathname === "/sse") this.#listen(response);
    else if (pathname === "/messages") await this.#posted(request, response, searchParams.get("session") ?? "");
    else response.writeHead(404).end();
  }

  async #streamable(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = String(request.headers["mcp-session-id"] ?? "");
    if (request.method !== "POST") this.seen.push(`${request.method ?? ""} ${session}`);
    const message = request.method === "POST" ? (JSON.parse(await bodyOf(request)) as Message) : {};
    if (message.method !== undefined) this.seen.push(`${message.method} ${session}`);
    if (message.method !== undefined && !this.intercept(message.method, response)) return;
    if (message.method === "server/discover")
      return json(response, 400, { jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "no" } });
    const isKnown = message.method === "initialize" || this.#sessions.has(session);
    if (!isKnown) {
      const error = { code: -32001, message: this.forgottenWords };
      return json(response, this.forgottenStatus, { jsonrpc: "2.0", id: message.id ?? null, error });
    }
    if (request.method === "DELETE") return void response.writeHead(200).end();
    if (request.method === "GET") {
      if (!this.hasStream) return void response.writeHead(405).end();
      return this.#open(session, response);
    }
    if (message.method === undefined) this.answers.push(message);
    if (message.id === undefined) return this.acceptNotification(response);
    if (message.method === undefined) return void response.writeHead(202).end();
    if (message.method === "initialize") {
      const fresh = `s${(this.#count += 1)}`;
      this.#sessions.add(fresh);
      response.setHeader("mcp-session-id", fresh);
    }
    const stream: CallStream = {
      send: (sent, eventId) => {
        if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
        write(response, { jsonrpc: "2.0", ...sent }, eventId);
      },
      sendText: (text) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(`data: ${text}\n\n`);
      },
      end: (how) => void (how === "end" ? response.end() : response.destroy()),
    };
    const result = await this.#answer(message, stream);
    if (result === unanswered) return;
    const answer = { jsonrpc: "2.0", id: message.id, ...(result as object) };
    if (!response.headersSent) return json(response, 200, answer);
    write(response, answer);
    response.end();
  }

  #open(session: string, response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    this.streams.set(session, response);
  }

  #listen(response: ServerResponse): void {
    const session = `s${(this.#count += 1)}`;
    this.seen.push(`GET ${session}`);
    this.#sessions.add(session);
    this.#open(session, response);
    response.write(`event: endpoint\ndata: /messages?session=${session}\n\n`);
  }

  async #posted(request: IncomingMessage, response: ServerResponse, session: string): Promise<void> {
    const message = JSON.parse(await bodyOf(request)) as Message;
    if (message.method !== undefined) this.seen.push(`${message.method} ${session}`);
    if (message.method !== undefined && !this.intercept(message.method, response)) return;
    const listener = this.streams.get(session);
    if (listener === undefined) return void response.writeHead(404).end();
    if (message.method === undefined) this.answers.push(message);
    if (message.id === undefined) return this.acceptNotification(response);
    response.writeHead(202).end();
    if (message.method === undefined) return;
    const stream: CallStream = {
      send: (sent) => write(listener, { jsonrpc: "2.0", ...sent }),
      sendText: (text) => void listener.write(`data: ${text}\n\n`),
      end: (how) => this.dropStreams(how),
    };
    const result = await this.#answer(message, stream);
    if (result !== unanswered) write(listener, { jsonrpc: "2.0", id: message.id, ...(result as object) });
  }

  async #answer({ id, method, params = {} }: Message, stream: CallStream): Promise<unknown> {
    switch (method) {
      case "initialize":
        return {
          result: {
            protocolVersion: "2025-06-18",
            capabilities: this.capabilities,
            serverInfo: { name: "remote", version: "1" },
          },
        };
      case "tools/list": {
        const { tools } = this;
        await this.listed;
        return this.onList(params) ?? { result: { tools } };
      }
      case "tools/call": {
        const result = await this.onCall({ params, id }, stream);
        return result === unanswered ? unanswered : { result };
      }
      case "ping":
        return { result: {} };
      default:
        return { error: { code: -32601, message: "unknown" } };
    }
  }
}

function write(stream: ServerResponse, message: Record<string, unknown>, eventId?: string): void {
  stream.write(`${eventId === undefined ? "" : `id: ${eventId}\n`}data: ${JSON.stringify(message)}\n\n`);
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}

/** A connection to it, in a world that has nothing but a clock. */
export function connectionTo(
  server: RemoteServer,
  type: "http" | "sse",
  more: Pick<McpWorld, "clock"> & Partial<McpWorld>,
): Connection {
  const world: McpWorld = {
    random: () => 0.5,
    version: "0",
    cwd: "/",
    environment: () => ({}),
    newTag: () => "",
    connectMs: 30_000,
    debug: () => {},
    ...more,
  };
  const about = { name: "far", scope: "user", source: "test", alwaysLoad: false, headers: {}, cwd: "/" } as const;
  return new Connection({ ...about, type, url: server.url(type) }, world);
}

/** The same, after it has tried to connect. At the end of the test both are closed. */
export async function connectTo(...[server, type, more]: Parameters<typeof connectionTo>): Promise<Connection> {
  const connection = connectionTo(server, type, more);
  onTestFinished(async () => {
    await connection.close();
    await server.stop();
  });
  await connection.connect();
  return connection;
}
