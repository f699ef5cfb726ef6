/** The default transport: Node's own HTTP client with kept-open connections, loaded with the first request. */
import type { Agent, RequestOptions } from "node:http";
import type { Environment } from "../../lib/environment.ts";
import { bareHost } from "../../lib/hosts.ts";
import { toProxyError } from "../../lib/proxy-errors.ts";
import { clientCertificate } from "./client-certificate.ts";
import { closeUnusable } from "./connections.ts";
import { exchange, type Route } from "./exchange.ts";
import type { OwnedTransport, PiecedRequest, TransportResponse } from "./transport.ts";
import { agentOptions, type AgentSource, type RouteOptions, type SecureOptions } from "./agent-options.ts";

export interface HttpTransportOptions {
  /** Source of the proxy variables and the client certificate's variables. */
  environment: Environment;
  /** Certificate authorities, PEM, that replace the system's. */
  certificateAuthorities?: string;
}

export function createHttpTransport({ environment, certificateAuthorities: ca }: HttpTransportOptions): OwnedTransport {
  let secure: SecureOptions | undefined;
  const options: RouteOptions = {
    environment,
    secure: () => (secure ??= { ...(ca === undefined ? {} : { ca }), ...clientCertificate(environment) }),
  };
  const agents = new Map<string, Agent>();
  const agentOf: AgentSource = (key, make) => {
    let agent = agents.get(key);
    if (agent === undefined) {
      agent = acquireAgent(key, make);
      agents.set(key, agent);
    }
    return agent;
  };
  const usesProxy = ["http_proxy", "https_proxy", "all_proxy"].some(
    (name) => environment[name] || environment[name.toUpperCase()],
  );
  // One endpoint has one or two paths: each URL is parsed once.
  const directRoutes = new Map<string, Route>();
  const directRouteTo = (url: string): Route => {
    const route = directRoutes.get(url) ?? directRoute(new URL(url), options, agentOf);
    directRoutes.set(url, route);
    return route;
  };
  const proxiedRouteTo = async (request: PiecedRequest): Promise<Route> => {
    const { proxyRoute } = await import("./proxy.ts");
    return (await proxyRoute(new URL(request.url), request, options, agentOf)) ?? directRouteTo(request.url);
  };
  return {
    send: usesProxy
      ? async (request) => sendByRoute(await proxiedRouteTo(request), request)
      : (request) => {
          try {
            return sendWhenChecked(directRouteTo(request.url), request);
          } catch (error) {
            return Promise.reject(error as Error);
          }
        },
    dispose() {
      for (const key of agents.keys()) releaseAgent(key);
      agents.clear();
      directRoutes.clear();
    },
  };
}

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
  // Not `import()`: a module namespace reads every export, and reading http's WebSocket export loads all of fetch, which is half
  // the startup cost.
  const http = process.getBuiltinModule("node:http");
  const agent = agentOf("http", () => new http.Agent(agentOptions));
  return { request: (request) => http.request(request), options: { ...target, agent } };
}

async function sendByRoute(route: Route, request: PiecedRequest): Promise<TransportResponse> {
  try {
    return await sendWhenChecked(route, request);
  } catch (error) {
    throw route.proxy === undefined ? error : toProxyError(route.proxy, error);
  }
}

function sendWhenChecked(route: Route, request: PiecedRequest): Promise<TransportResponse> {
  const checked = closeUnusable(route.options);
  return checked === undefined ? exchange(route, request) : checked.then(() => exchange(route, request));
}

interface SharedAgent {
  agent: Agent;
  users: number;
}

/** The agents of this process: many sessions share one set of connections. */
const sharedAgents = new Map<string, SharedAgent>();

function acquireAgent(key: string, make: () => Agent): Agent {
  let entry = sharedAgents.get(key);
  if (entry === undefined) {
    entry = { agent: make(), users: 0 };
    sharedAgents.set(key, entry);
  }
  entry.users++;
  return entry.agent;
}

function releaseAgent(key: string): void {
  const entry = sharedAgents.get(key);
  if (entry === undefined) return;
  entry.users--;
  if (entry.users > 0) return;
  sharedAgents.delete(key);
  entry.agent.destroy();
}
