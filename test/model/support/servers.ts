// Real servers on loopback that remember their connections.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface LocalServer {
  server: Server;
  url: string;
  port: number;
  /** Connections ever made. */
  connections: Socket[];
  /** Resolves once every connection made so far is closed. */
  disconnected(): Promise<void>;
}

export function serve(handler: RequestListener): Promise<LocalServer> {
  return listen(createServer(handler));
}

/** Closes with the test. */
export async function listen(server: Server): Promise<LocalServer> {
  const connections: Socket[] = [];
  server.on("connection", (socket: Socket) => {
    connections.push(socket);
    socket.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of connections) socket.destroy();
      }),
  );
  const { port } = server.address() as AddressInfo;
  const gone = (socket: Socket): Promise<void> =>
    socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once("close", () => resolve()));
  return {
    server,
    url: `http://127.0.0.1:${port}`,
    port,
    connections,
    disconnected: async () => void (await Promise.all(connections.map(gone))),
  };
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

export function begin(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { "content-type": "text/event-stream", "request-id": "req_1" });
}

/** A promise and the function that resolves it. */
export function gate<T = void>(): { opened: Promise<T>; open(value: T): void } {
  const { promise, resolve } = Promise.withResolvers<T>();
  return { opened: promise, open: resolve };
}
