/** The scripted model behind a real socket on loopback. */
import { errorText } from "../../lib/error-text.ts";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createScriptedModel } from "./model.ts";
import { normaliseHeaders } from "../validate/headers.ts";
import type { Script } from "../script/types.ts";
import type { ModelResponse, ScriptedModel, ScriptedModelOptions } from "./types.ts";

export interface ServerOptions extends ScriptedModelOptions {
  /** Default 0: any free port. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
}

export interface ScriptedServer extends ScriptedModel {
  /** `http://127.0.0.1:PORT`, suitable for `ANTHROPIC_BASE_URL`. */
  readonly url: string;
  readonly port: number;
  /** Closes every connection, even stalled ones, and leaves no handle behind. Afterwards each record says how it ended. */
  close(): Promise<void>;
  /** Same as `close`, for `await using`: a failing test leaves no server that keeps the process alive. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Rejects if the script or an option is invalid, just as `createScriptedModel` throws. */
export async function startScriptedServer(script: Script, options: ServerOptions = {}): Promise<ScriptedServer> {
  const model = createScriptedModel(script, options);
  const answering = new Set<Promise<void>>();
  const server = createServer({ keepAlive: true, noDelay: true }, (request, response) => {
    const answered = answer(model, request, response)
      // A defect of the script or of this server. The client sees a broken connection rather than no answer at all.
      .catch((error: unknown) => answerFailure(response, error))
      .finally(() => answering.delete(answered));
    answering.add(answered);
  });
  server.keepAliveTimeout = 60_000;
  const host = options.host ?? "127.0.0.1";
  await listen(server, options.port ?? 0, host);
  const { port } = server.address() as AddressInfo;
  const end = () => close(server, answering);
  return Object.create(model, {
    url: { value: `http://${host.includes(":") ? `[${host}]` : host}:${port}`, enumerable: true },
    port: { value: port, enumerable: true },
    close: { value: end, enumerable: true },
    [Symbol.asyncDispose]: { value: end },
  }) as ScriptedServer;
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

async function close(server: Server, answering: ReadonlySet<Promise<void>>): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
  await Promise.all(answering);
}

async function answer(model: ScriptedModel, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const clientGone = new AbortController();
  response.once("close", () => clientGone.abort(new DOMException("The client went away", "AbortError")));
  const body = await readAll(request);
  let answered: ModelResponse;
  try {
    answered = await model.handle({
      method: request.method ?? "GET",
      path: request.url ?? "/",
      headers: normaliseHeaders(request.headers),
      body,
      signal: clientGone.signal,
    });
  } catch (error) {
    if (!isExpectedBreak(error, clientGone.signal)) throw error;
    request.socket.destroy();
    return;
  }
  await send(answered, response, clientGone.signal);
}

async function send(answered: ModelResponse, response: ServerResponse, clientGone: AbortSignal): Promise<void> {
  response.writeHead(answered.status, answered.headers);
  // Sent at once, so that a stall before the first byte is a stall after the status line.
  response.flushHeaders();
  try {
    for await (const chunk of answered.body) {
      if (!response.write(chunk)) await waitForDrain(response, clientGone);
    }
    response.end();
  } catch (error) {
    if (!isExpectedBreak(error, clientGone)) throw error;
    // Everything written must leave this process before the connection breaks, so that the client sees all of it.
    if (!clientGone.aborted) await new Promise<void>((resolve) => response.write("", () => resolve()));
    response.socket?.destroy();
  }
}

function isExpectedBreak(error: unknown, clientGone: AbortSignal): boolean {
  return clientGone.aborted || (error instanceof Error && "code" in error && error.code === "ECONNRESET");
}

function waitForDrain(response: ServerResponse, clientGone: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      clientGone.removeEventListener("abort", stop);
      resolve();
    };
    const stop = () => {
      response.removeListener("drain", done);
      reject(clientGone.reason as Error);
    };
    response.once("drain", done);
    clientGone.addEventListener("abort", stop, { once: true });
  });
}

async function readAll(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

function answerFailure(response: ServerResponse, error: unknown): void {
  const message = errorText(error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(500, { "content-type": "application/json", "x-should-retry": "false" });
  response.end(JSON.stringify({ type: "error", error: { type: "api_error", message: `Scripted model: ${message}` } }));
}
