/**
 * The transport to a server behind a WebSocket: one protocol message per text message. Written by hand, because Node's own client
 * does not report why a server refuses, cannot be closed if the other side does not answer, and accepts messages of any length.
 */
import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Transport } from "@modelcontextprotocol/client";
import { proxyUnlessLocal, requestOnce } from "../lib/proxy.ts";
import { oneLine } from "../lib/sanitize.ts";
import type { McpTransport } from "../protocol/mcp.ts";
import { WebSocketRefused } from "./connect-failure.ts";
import { FrameReader, encodeFrame, type FrameKind } from "./frames.ts";
import { requestHeaders } from "./open-remote.ts";
import type { SocketServer } from "./server.ts";
import { wrapTransport, type OpenTransport } from "./transport.ts";
import { parseMessages } from "./message-repair.ts";
import type { McpWorld } from "./world.ts";

/** Limit for one message, and for pending input of a server that does not read. */
const maxBytes = 16 * 1024 * 1024;
/** The longest wait for a server's close frame, ms. */
const closeWaitMs = 1_000;
/** The silence after which the system probes the connection, ms. */
const keepAliveMs = 60_000;
/** By RFC 6455: the answer to a key is a hash of the key and this suffix. */
const keySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/** 1000: a normal closure. */
const normalClosure = Buffer.from([0x03, 0xe8]);

export async function openWebSocket(
  server: SocketServer,
  world: McpWorld,
  signal: AbortSignal,
): Promise<OpenTransport> {
  const transport = new WebSocketTransport(server, await requestHeaders(server, world, signal), world);
  return {
    ...wrapTransport(transport as Transport),
    killNow: () => transport.killNow(),
    lastWords: () => transport.lastWords,
  };
}

class WebSocketTransport implements McpTransport {
  onmessage?: (message: never) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** Why it ended, as the server or the frame reader says. */
  lastWords = "";
  readonly #server: SocketServer;
  readonly #headers: Record<string, string>;
  readonly #world: McpWorld;
  readonly #socketClosed = Promise.withResolvers<void>();
  /** Aborts a connection that is still being made. */
  readonly #connectAbort = new AbortController();
  #socket: Duplex | undefined;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor(server: SocketServer, headers: Record<string, string>, world: McpWorld) {
    this.#server = server;
    this.#headers = headers;
    this.#world = world;
  }

  start(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const url = new URL(this.#server.url);
    url.protocol = url.protocol === "wss:" ? "https:" : "http:";
    const key = randomBytes(16).toString("base64");
    const headers = {
      "sec-websocket-protocol": "mcp",
      ...this.#headers,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": key,
    };
    const proxy = proxyUnlessLocal(url, this.#world.proxies ?? {});
    const upgrade = requestOnce(url, { headers, signal: this.#connectAbort.signal }, { proxy, alwaysTunnels: true });
    upgrade.on("error", reject);
    upgrade.once("response", (response) => {
      response.destroy();
      reject(new WebSocketRefused(response.statusCode ?? 0));
    });
    upgrade.once("upgrade", (response, socket, first) => {
      if (this.#closing !== undefined || !isUpgradeAnswer(response, key)) {
        socket.destroy();
        return reject(new WebSocketRefused(response.statusCode ?? 0));
      }
      this.#onOpen(socket, first);
      resolve();
    });
    upgrade.end();
    return promise;
  }

  #onOpen(socket: Duplex & { setKeepAlive?: (on: boolean, ms: number) => void }, first: Buffer): void {
    this.#socket = socket;
    socket.setKeepAlive?.(true, keepAliveMs);
    const reader = new FrameReader(maxBytes, (kind, payload) => this.#handleFrame(kind, payload));
    const read = (chunk: Buffer): void => {
      if (this.#isClosed) return;
      const why = reader.push(chunk);
      if (why === undefined) return;
      this.lastWords = why;
      this.onerror?.(new Error(why));
      socket.destroy();
    };
    // A broken socket is a closed one: "close" still comes.
    socket.on("error", () => {});
    socket.on("end", () => socket.destroy());
    socket.on("close", () => {
      this.#notifyClosed();
      this.#socketClosed.resolve();
    });
    // Not read at once: the code that waits for the connection attaches its handlers first.
    if (first.length > 0) socket.unshift(first);
    socket.on("data", read);
  }

  #handleFrame(kind: FrameKind, payload: Buffer): void {
    if (this.#isClosed) return;
    switch (kind) {
      case "text":
      case "binary":
        return this.#handleMessage(payload.toString("utf8"));
      case "ping":
        return this.#write("pong", payload);
      case "close":
        this.lastWords = oneLine(payload.toString("utf8", 2), 200);
        this.#write("close", payload.subarray(0, 2));
        // The owner closes the socket itself, in bounded time.
        return this.#notifyClosed();
      case "pong":
        return;
      default:
        return kind satisfies never;
    }
  }

  #handleMessage(text: string): void {
    const messages = parseMessages(text);
    if (messages === undefined)
      return this.#world.debug(`mcp ${JSON.stringify(this.#server.name)} (no message) ${text.slice(0, 500)}`);
    for (const each of messages) this.onmessage?.(each as never);
  }

  send(message: unknown): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || this.#isClosed || !socket.writable)
      return Promise.reject(new Error("the server has ended the connection"));
    if (socket.writableLength > maxBytes) return Promise.reject(new Error("the server does not read what it is sent"));
    this.#write("text", Buffer.from(JSON.stringify(message)));
    return Promise.resolve();
  }

  #write(kind: FrameKind, payload: Buffer): void {
    const socket = this.#socket;
    if (socket?.writable === true && socket.writableLength <= maxBytes) socket.write(encodeFrame(kind, payload));
  }

  #notifyClosed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined) return this.#connectAbort.abort();
    if (!this.#isClosed) {
      this.#write("close", normalClosure);
      this.#notifyClosed();
    }
    socket.resume();
    socket.end();
    const stop = this.#world.clock.timer(closeWaitMs, () => socket.destroy());
    await this.#socketClosed.promise;
    stop();
  }

  /** Ends at once and for good, for the last moment of this process. */
  killNow(): void {
    this.#connectAbort.abort();
    this.#socket?.destroy();
  }
}

function isUpgradeAnswer({ headers }: IncomingMessage, key: string): boolean {
  const wanted = createHash("sha1").update(`${key}${keySuffix}`).digest("base64");
  return headers["sec-websocket-accept"] === wanted;
}
