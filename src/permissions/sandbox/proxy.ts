/**
 * The only way out of a confined command's network: an HTTP proxy on a socket file of its own. It judges each host by name, resolves the
 * name itself, judges the address, and connects to that very address, so that a different second answer of the name server has no effect.
 */
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, createServer as createRawServer, isIP, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { addressProblem, isAddressOrLocal, normalizeHost } from "./hosts.ts";
import { bareHost } from "../../lib/hosts.ts";
import type { Environment } from "../../lib/environment.ts";
import { requestOnce, tunnelThrough } from "../../lib/proxy.ts";
import { upstreamFor } from "./upstream.ts";

export type HostAnswer = { verdict: "listed" | "pattern" } | { verdict: "refused"; why: string };

export interface ProxyOptions {
  /** The socket file it listens on. */
  path: string;
  /** May ask a person, and so may take a while. `host` is in its plain form. */
  judge(host: string, port: number): Promise<HostAnswer>;
  /** Called with each host that was refused. */
  onRefused(host: string, port: number, why: string): void;
  /** The user's environment, which may name an upstream proxy. */
  environment: Environment;
  /** Default: the system's name resolution. */
  resolve?: (host: string) => Promise<string[]>;
}

export interface Proxy {
  close(): void;
}

const maxConnections = 256;
const connectTimeoutMs = 30_000;
const hopHeaders = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/iu;

export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const open = new Set<Duplex>();
  const track = <T extends Duplex>(stream: T): T => {
    open.add(stream);
    stream.once("close", () => open.delete(stream));
    // Either side may fail at any time; the other side sees the connection end.
    stream.on("error", () => stream.destroy());
    return stream;
  };
  const server = createServer((incoming, response) => {
    forward(incoming, response, options, track).catch(() => response.destroy());
  });
  server.on("connection", track);
  server.on(
    "connect",
    (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void tunnel(incoming, socket, head, options, track),
  );
  server.on("clientError", (_error, socket) => socket.destroy());
  await listen(server, options.path);
  return closableProxy(server, open);
}

/** Relays bytes unchanged to the user's own proxy on 127.0.0.1. */
export async function startRelay(path: string, port: number): Promise<Proxy> {
  const open = new Set<Duplex>();
  const server = createRawServer((socket) => {
    const onward = connect({ host: "127.0.0.1", port });
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      open.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        // The last data may not have been written yet.
        other.destroySoon();
      });
      one.pipe(other);
    }
  });
  await listen(server, path);
  return closableProxy(server, open);
}

function listen(server: Server, path: string): Promise<void> {
  server.maxConnections = maxConnections;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      // An idle proxy must not keep the process alive.
      server.unref();
      resolve();
    });
  });
}

function closableProxy(server: Server, open: ReadonlySet<Duplex>): Proxy {
  return {
    close() {
      server.close();
      for (const stream of open) stream.destroy();
    },
  };
}

type Route = { address: string } | { through: URL };
type NoRoute = { why: string; status: 403 | 502 };

async function findRoute(
  target: string,
  port: number,
  isSecure: boolean,
  options: ProxyOptions,
): Promise<Route | NoRoute> {
  const host = normalizeHost(target);
  const refuse = (shownHost: string, why: string): NoRoute => {
    options.onRefused(shownHost, port, why);
    return { why: `Refused by the sandbox: ${why}`, status: 403 };
  };
  if (host === undefined || !Number.isInteger(port) || port < 1 || port > 65_535)
    return refuse(target.slice(0, 253), "it is not a host and port");
  const answer = await options.judge(host, port);
  if (answer.verdict === "refused") return refuse(host, answer.why);
  // Hosts of this machine or its network are not reached through an upstream proxy, which resolves names itself.
  const through = isAddressOrLocal(host) ? undefined : upstreamFor(options.environment, host, port, isSecure);
  if (through !== undefined) return { through };
  const bare = bareHost(host);
  const { resolve = systemAddresses } = options;
  const found = isIP(bare) === 0 ? await resolve(bare).catch(() => []) : [bare];
  const problems = found.map((address) => addressProblem(host, address, answer.verdict));
  const address = found.find((_, index) => problems[index] === undefined);
  if (address !== undefined) return { address };
  const problem = problems[0];
  return problem === undefined ? { why: `${host} was not found`, status: 502 } : refuse(host, problem);
}

async function systemAddresses(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

type Track = <T extends Duplex>(stream: T) => T;

async function tunnel(
  { url = "" }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  options: ProxyOptions,
  track: Track,
): Promise<void> {
  const [, host = "", port = ""] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/u.exec(url) ?? [];
  const route = await findRoute(host, Number(port), Number(port) !== 80, options);
  if ("why" in route) return void socket.end(errorResponse(route));
  let onward: Duplex;
  try {
    onward = track(await openConnection(route, host, Number(port)));
  } catch {
    return void socket.end(errorResponse({ why: `${host} did not answer`, status: 502 }));
  }
  onward.once("close", () => socket.end());
  socket.once("close", () => onward.destroy());
  if (socket.destroyed) return void onward.destroy();
  socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
  if (head.length > 0) onward.write(head);
  socket.pipe(onward);
  onward.pipe(socket);
}

async function openConnection(route: Route, host: string, port: number): Promise<Duplex> {
  if ("through" in route) return await tunnelThrough(route.through, { host, port }, { limitMs: connectTimeoutMs });
  const socket = connectTo(route.address, port);
  await once(socket, "connect");
  return socket;
}

function connectTo(address: string, port: number): Socket {
  const socket = connect({ host: address, port });
  socket.setTimeout(connectTimeoutMs, () => socket.destroy(new Error("it does not answer")));
  socket.once("connect", () => socket.setTimeout(0));
  return socket;
}

function errorResponse({ why, status }: { why: string; status: number }): string {
  const body = `${why}.\n`;
  const words = status === 403 ? "Forbidden" : "Bad Gateway";
  return `HTTP/1.1 ${status} ${words}\r\ncontent-type: text/plain\r\nx-proxy-error: ${errorHeaderValue(status)}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;
}

function errorHeaderValue(status: number): string {
  return status === 403 ? "blocked-by-sandbox" : "unreachable";
}

async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  options: ProxyOptions,
  track: Track,
): Promise<void> {
  const target = URL.canParse(incoming.url ?? "") ? new URL(incoming.url ?? "") : undefined;
  const refuse = (why: string, status: number): void => {
    response.writeHead(status, { "content-type": "text/plain", "x-proxy-error": errorHeaderValue(status) });
    response.end(`${why}.\n`);
  };
  if (target?.protocol !== "http:") return refuse("This is a proxy; ask it for whole http: addresses", 400);
  const port = target.port === "" ? 80 : Number(target.port);
  const route = await findRoute(target.hostname, port, false, options);
  if ("why" in route) return refuse(route.why, route.status);
  const kept = Object.entries(incoming.headers).filter(([name]) => !hopHeaders.test(name));
  // Whatever the command sends as the host, it becomes the one that was judged.
  const own = { ...Object.fromEntries(kept), host: target.host };
  const { method } = incoming;
  const onward =
    "through" in route
      ? requestOnce(target, { method, headers: own }, { proxy: route.through })
      : request({
          method,
          path: target.pathname + target.search,
          headers: own,
          createConnection: () => track(connectTo(route.address, port)),
        });
  onward.once("response", (answer) => {
    const headers = Object.entries(answer.headers).filter(([name]) => !hopHeaders.test(name));
    response.writeHead(answer.statusCode ?? 502, Object.fromEntries(headers));
    answer.pipe(response);
  });
  onward.once("error", () => {
    if (response.headersSent) response.destroy();
    else refuse(`${target.host} did not answer`, 502);
  });
  response.once("close", () => onward.destroy());
  incoming.pipe(onward);
}
