/** The default transport: Node's own HTTP client with kept-open connections, loaded with the first request. */
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { bareHost } from "../../lib/hosts.ts";
import type { Environment } from "../model-names.ts";
import { clientCertificate, type ClientCertificate } from "./client-certificate.ts";
import { brokeWhenReused, idleConnectionMs, onlyUsable, wasUsed } from "./connections.ts";
import { decodedBody } from "./content-encoding.ts";
import { prematureClose } from "./incoming-body.ts";
import type { OwnedTransport, PiecedRequest, TransportResponse } from "./transport.ts";

export interface HttpTransportOptions {
  /** Where the proxy variables and the client's certificate are looked up. */
  environment: Environment;
  /** Certificate authorities, PEM, in place of the system's. */
  certificateAuthorities?: string;
}

/** How one request is made: which client, and what it is told besides the request's own. */
export interface Route {
  /** Looks Node's own function up at each call: what traces HTTP puts its own in that place, at any time. */
  request: (options: RequestOptions) => ClientRequest;
  options: RequestOptions;
  /** Headers of the route's own. */
  headers?: Record<string, string>;
}

/** Of a TLS connection, for Node. */
export interface SecureOptions extends Partial<ClientCertificate> {
  ca?: string;
}

export function createHttpTransport({ environment, certificateAuthorities: ca }: HttpTransportOptions): OwnedTransport {
  let secure: SecureOptions | undefined;
  const options: RouteOptions = {
    environment,
    secure: () => (secure ??= { ...(ca === undefined ? {} : { ca }), ...clientCertificate(environment) }),
  };
  const held = new Map<string, Agent>();
  const agentOf: AgentSource = (key, make) => {
    let agent = held.get(key);
    if (agent === undefined) {
      agent = acquire(key, make);
      held.set(key, agent);
    }
    return agent;
  };
  const proxied = ["http_proxy", "https_proxy", "all_proxy"].some(
    (name) => environment[name] || environment[name.toUpperCase()],
  );
  // One endpoint, one or two paths: parsed once each.
  const direct = new Map<string, Route>();
  const directRouteTo = (url: string): Route => {
    const route = direct.get(url) ?? directRoute(new URL(url), options, agentOf);
    direct.set(url, route);
    return route;
  };
  const proxiedRouteTo = async (request: PiecedRequest): Promise<Route> => {
    const { proxyRoute } = await import("./proxy.ts");
    return (await proxyRoute(new URL(request.url), request, options, agentOf)) ?? directRouteTo(request.url);
  };
  return {
    send: proxied
      ? async (request) => exchange(await proxiedRouteTo(request), request)
      : async (request) => exchange(directRouteTo(request.url), request),
    dispose() {
      for (const key of held.keys()) release(key);
      held.clear();
      direct.clear();
    },
  };
}

export interface RouteOptions {
  environment: Environment;
  /** Read once, with the first connection that needs it. Throws `ConfigurationError`. */
  secure: () => SecureOptions;
}

/** Gives the agent of that key, making it where there is none. */
export type AgentSource = (key: string, make: () => Agent) => Agent;

export const agentOptions = { keepAlive: true, timeout: idleConnectionMs, scheduling: "lifo" } as const;

function directRoute(url: URL, { secure }: RouteOptions, agentOf: AgentSource): Route {
  const target = { host: bareHost(url.hostname), port: url.port, path: url.pathname + url.search };
  if (url.protocol === "https:") {
    const https = process.getBuiltinModule("node:https");
    const agent = agentOf("https", () => new https.Agent(agentOptions));
    return {
      request: (request) => https.request(request),
      options: { ...target, agent, ...secure() } as RequestOptions,
    };
  }
  // Not `import()`: a module's namespace reads every export, and one of http's is a WebSocket, whose reading loads all of
  // fetch: half of what starting costs.
  const http = process.getBuiltinModule("node:http");
  const agent = agentOf("http", () => new http.Agent(agentOptions));
  return { request: (request) => http.request(request), options: { ...target, agent } };
}

async function exchange(route: Route, request: PiecedRequest): Promise<TransportResponse> {
  await onlyUsable(route.options);
  return await asked(route, request);
}

function asked(route: Route, { method, headers, pieces, signal }: PiecedRequest): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    let length = 0;
    for (const piece of pieces) length += piece.byteLength;
    // As an object: a list, which Node takes too, is broken by what traces a process's HTTP.
    const fields = { ...headers, ...route.headers, "content-length": length };
    const outgoing = route.request({ ...route.options, method, headers: fields });
    const abort = (): void => {
      // Without an error: where the answer has just ended, nobody listens on the socket any more, and one would be thrown.
      outgoing.destroy();
    };
    let isAnswered = false;
    const letGo = (): void => {
      signal.removeEventListener("abort", abort);
      wasUsed(route.options);
      // Closed without an error and without an answer, as after a change of protocol that nobody asked for.
      if (!isAnswered) reject(prematureClose());
    };
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
    outgoing.on("close", letGo);
    // Stays for good: an error after the answer began is the body's to tell, and must not crash the process here.
    outgoing.on("error", (error) => {
      if (outgoing.reusedSocket && !isAnswered && !signal.aborted) brokeWhenReused(route.options);
      reject(error);
    });
    outgoing.on("response", (incoming) => {
      isAnswered = true;
      resolve({ status: incoming.statusCode ?? 0, headers: flat(incoming), body: decodedBody(incoming, letGo) });
    });
    const last = pieces.length - 1;
    for (let index = 0; index < last; index++) outgoing.write(pieces[index]);
    outgoing.end(pieces[last]);
  });
}

function flat({ headers }: IncomingMessage): Record<string, string> {
  // The only header that Node gives as a list.
  if (headers["set-cookie"] === undefined) return headers as Record<string, string>;
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return result;
}

interface Shared {
  agent: Agent;
  users: number;
}

/** Agents of this process: many sessions, one set of connections. */
const shared = new Map<string, Shared>();

function acquire(key: string, make: () => Agent): Agent {
  let entry = shared.get(key);
  if (entry === undefined) {
    entry = { agent: make(), users: 0 };
    shared.set(key, entry);
  }
  entry.users++;
  return entry.agent;
}

function release(key: string): void {
  const entry = shared.get(key);
  if (entry === undefined) return;
  entry.users--;
  if (entry.users > 0) return;
  shared.delete(key);
  entry.agent.destroy();
}
