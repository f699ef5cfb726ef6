/** A server that is nothing but sockets: the first request of a run gets the pattern, every other one a good answer. */
import { createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import type { ReceivedRequest } from "../../e2e/support/wire.ts";
import type { WireRequest } from "../../e2e/support/strict.ts";
import { closingAnswerBytes, type Pattern } from "./wire-patterns.ts";

export interface SocketServer {
  url: string;
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

export async function startSocketServer(pattern: Pattern): Promise<SocketServer> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  const failures: unknown[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
    let received = Buffer.alloc(0);
    socket.on("data", (data: Buffer) => {
      received = Buffer.concat([received, data]);
      for (let taken = takeRequest(received); taken !== null; taken = takeRequest(received)) {
        received = taken.rest;
        requests.push(taken.asked);
        const answering = requests.length === 1 ? playPattern(pattern, socket) : send(socket, closingAnswerBytes);
        answering.catch((error: unknown) => failures.push(error));
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** A request with a length or in chunks; null while it is not all there. */
function takeRequest(received: Buffer): { asked: ReceivedRequest; rest: Buffer<ArrayBuffer> } | null {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const [first = "", ...lines] = received.subarray(0, end).toString("latin1").split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const body = takeBody(received.subarray(end + 4), headers);
  if (body === null) return null;
  const [method = "", path = ""] = first.split(" ");
  const text = body.text.toString("utf8");
  return {
    asked: { method, path, headers, text, body: JSON.parse(text) as WireRequest },
    rest: Buffer.from(body.rest),
  };
}

function takeBody(bytes: Buffer, headers: Record<string, string>): { text: Buffer; rest: Buffer } | null {
  if (headers["transfer-encoding"] !== "chunked") {
    const length = Number(headers["content-length"] ?? 0);
    return bytes.length < length ? null : { text: bytes.subarray(0, length), rest: bytes.subarray(length) };
  }
  const pieces: Buffer[] = [];
  for (let at = 0; ;) {
    const line = bytes.indexOf("\r\n", at);
    if (line < 0) return null;
    const size = Number.parseInt(bytes.subarray(at, line).toString("latin1"), 16);
    const next = line + 2 + size + 2;
    if (bytes.length < next) return null;
    if (size === 0) return { text: Buffer.concat(pieces), rest: bytes.subarray(next) };
    pieces.push(bytes.subarray(line + 2, line + 2 + size));
    at = next;
  }
}

async function playPattern({ steps, end }: Pattern, socket: Socket): Promise<void> {
  for (const { bytes, afterMs } of steps) {
    if (afterMs !== undefined && afterMs > 0) await new Promise((resolve) => setTimeout(resolve, afterMs));
    else if (afterMs !== undefined) await new Promise((resolve) => setImmediate(resolve));
    await send(socket, bytes);
  }
  // What was sent has to arrive before a reset, which would overtake it.
  if (end === "reset") setTimeout(() => socket.resetAndDestroy(), 30);
  else if (end === "fin") socket.end();
}

async function send(socket: Socket, bytes: Buffer): Promise<void> {
  if (socket.destroyed || bytes.length === 0) return;
  await new Promise<void>((resolve) => void socket.write(bytes, () => resolve()));
}
