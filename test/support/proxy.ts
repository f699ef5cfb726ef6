// A proxy on loopback that forwards every request to one server, whatever host the request names.
import { createServer, request as forward } from "node:http";
import { connect, type Socket } from "node:net";
import { listen, type LocalServer } from "../model/support/servers.ts";

export interface Proxy extends LocalServer {
  /** The requests it received: method, URL, credentials and host. */
  seen: string[];
}

/** `refuse`: the status with which CONNECT requests are refused; 0: they get no answer. */
export async function startProxy({ port }: { port: number }, refuse?: number): Promise<Proxy> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const { method, url = "", headers } = request;
    seen.push(`${method} ${url} ${headers["proxy-authorization"] ?? "-"} ${headers.host}`);
    const { pathname, search } = new URL(url);
    const upstream = forward({ port, host: "127.0.0.1", method, path: pathname + search, headers });
    upstream.on("response", (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers)));
    upstream.on("error", () => response.destroy());
    response.on("close", () => upstream.destroy());
    request.pipe(upstream);
  });
  server.on("connect", (request, socket: Socket) => {
    seen.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"] ?? "-"}`);
    if (refuse === 0) return void socket.resume().once("end", () => socket.destroy());
    if (refuse !== undefined) return void socket.end(`HTTP/1.1 ${refuse} No\r\n\r\n`);
    const upstream = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  return { ...(await listen(server)), seen };
}
