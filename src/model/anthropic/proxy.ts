/** The model's requests through a proxy; loaded only if an environment variable names one. */
import type { Agent } from "node:http";
import { bareHost } from "../../lib/hosts.ts";
import { absoluteRequest, proxyFor, tunnelAgent, type TunnelOptions } from "../../lib/proxy.ts";
import type { Route } from "./exchange.ts";
import { agentOptions, type AgentSource, type RouteOptions, type SecureOptions } from "./agent-options.ts";
import type { TransportRequest } from "./transport.ts";

/** The route through the proxy that the environment names for this URL, or undefined if it names none. Throws `UnusableProxy`. */
export async function proxyRoute(
  url: URL,
  { signal }: Pick<TransportRequest, "signal">,
  { environment, secure }: RouteOptions,
  agentOf: AgentSource,
): Promise<Route | undefined> {
  const proxy = proxyFor(url, environment);
  if (proxy === undefined) return undefined;
  if (url.protocol === "http:") return absoluteRoute(url, proxy, agentOf);
  const https = process.getBuiltinModule("node:https");
  const agent = agentOf(`tunnel ${proxy.href}`, () => new (tunnelAgent(https.Agent, proxy))(agentOptions));
  const options: TunnelOptions & SecureOptions = {
    ...secure(),
    host: bareHost(url.hostname),
    port: url.port || 443,
    path: url.pathname + url.search,
    agent,
    tunnel: { signal },
  };
  return { request: (request) => https.request(request), options, proxy };
}

function absoluteRoute(url: URL, proxy: URL, agentOf: AgentSource): Route {
  const secure = proxy.protocol === "https:";
  const client = process.getBuiltinModule(secure ? "node:https" : "node:http");
  const agent: Agent = agentOf(secure ? "https" : "http", () => new client.Agent(agentOptions));
  const { headers, ...options } = absoluteRequest(url, proxy);
  return { request: (request) => client.request(request), options: { ...options, agent }, headers, proxy };
}
