// A WebSocket server by hand, for text frames of one piece: enough for the protocol.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

export interface SocketPeer {
  send(text: string): void;
  /** As they are: frames. */
  write(bytes: Buffer): void;
  /** The codes of its frames, in their order. */
  heard: number[];
  /** Without a goodbye. */
  drop(): void;
}

export interface SocketServer {
  url: string;
  /** Requests to become a socket, as they came. */
  requests: IncomingMessage[];
  peers: SocketPeer[];
  close(): Promise<void>;
}

/** `onText`: told of each text. `refuses`: the status in a socket's place; 101: one that proves nothing. */
export async function startSocketServer(
  onText: (text: string, peer: SocketPeer) => void,
  { refuses, isRude = false }: { refuses?: number; isRude?: boolean } = {},
): Promise<SocketServer> {
  const requests: IncomingMessage[] = [];
  const peers: SocketPeer[] = [];
  const sockets = new Set<Duplex>();
  const http = createServer((_request, response) => void response.writeHead(404).end());
  http.on("upgrade", (request, socket) => {
    requests.push(request);
    sockets.add(socket);
    socket.on("error", () => undefined);
    if (refuses !== undefined && refuses !== 101)
      return void socket.end(`HTTP/1.1 ${refuses} No\r\ncontent-length: 0\r\n\r\n`);
    const key = `${request.headers["sec-websocket-key"] ?? ""}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1")
      .update(refuses === 101 ? "" : key)
      .digest("base64");
    const head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
    socket.write(`${[...head, `Sec-WebSocket-Accept: ${accept}`, "Sec-WebSocket-Protocol: mcp"].join("\r\n")}\r\n\r\n`);
    const peer: SocketPeer = {
      send: (text) => void socket.write(frame(Buffer.from(text))),
      write: (bytes) => void socket.write(bytes),
      heard: [],
      drop: () => void socket.destroy(),
    };
    peers.push(peer);
    let rest = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (let read = unframed(rest); read !== undefined; read = unframed(rest)) {
        rest = rest.subarray(read.length);
        peer.heard.push(read.kind);
        // One that is rude never says goodbye, and keeps what is open.
        if (read.kind === 8 && !isRude) socket.end(Buffer.from([0x88, 0]));
        else if (read.kind === 1) onText(read.text, peer);
      }
    });
  });
  await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}/mcp`,
    requests,
    peers,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => void http.close(resolve));
    },
  };
}

/** `first`: its first byte; 0x81: a text, as a whole. */
export function frame(payload: Buffer, first = 0x81): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = first;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

/** Undefined where it is not there as a whole. */
function unframed(bytes: Buffer): { kind: number; text: string; length: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes[1]! & 0x7f;
  const at = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < at + 4) return undefined;
  const size = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  const end = at + 4 + size;
  if (bytes.length < end) return undefined;
  const mask = bytes.subarray(at, at + 4);
  const payload = bytes.subarray(at + 4, end).map((byte, index) => byte ^ mask[index % 4]!);
  return { kind: bytes[0]! & 0x0f, text: Buffer.from(payload).toString(), length: end };
}
