/** Proxies, loaded only where a variable names one: absolute URLs for http, tunnels for https. */
import type { Agent, IncomingMessage, RequestOptions } from "node:http";
import type { AgentOptions } from "node:https";
import type { Duplex } from "node:stream";
import type { ConnectionOptions } from "node:tls";
import { ConfigurationError } from "../connection-failure.ts";
import type { Environment } from "../model-names.ts";
import { basicCredentials } from "./endpoint.ts";
import {
  agentOptions,
  bareHost,
  type AgentSource,
  type Route,
  type RouteOptions,
  type SecureOptions,
} from "./http-transport.ts";
import { bypasses } from "../../lib/no-proxy.ts";
import type { TransportRequest } from "./transport.ts";

/** The route through the proxy that the environment names for this URL; undefined where none does. */
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
  const connect = await tunnelMaker(proxy);
  const agent = agentOf(`tunnel ${proxy.href}`, () => new (tunnelAgentClass(https.Agent, connect))(agentOptions));
  const options: TunnelOptions = {
    ...secure(),
    host: bareHost(url),
    port: url.port || 443,
    path: url.pathname + url.search,
    agent,
    tunnelSignal: signal,
  };
  return { request: (request) => https.request(request), options };
}

/** Lower-case names win, as in curl. Throws `ConfigurationError` for a proxy of a kind that is not spoken. */
function proxyFor(url: URL, environment: Environment): URL | undefined {
  const of = (name: string): string | undefined => environment[name] || environment[name.toUpperCase()] || undefined;
  const given = of(url.protocol === "https:" ? "https_proxy" : "http_proxy") ?? of("all_proxy");
  if (given === undefined || bypasses(of("no_proxy"), url)) return undefined;
  let proxy: URL;
  try {
    proxy = new URL(given.includes("://") ? given : `http://${given}`);
  } catch {
    throw new ConfigurationError("the proxy variable (HTTPS_PROXY, HTTP_PROXY or ALL_PROXY) is not a URL");
  }
  if (proxy.protocol !== "http:" && proxy.protocol !== "https:") {
    throw new ConfigurationError(`proxies of the kind ${proxy.protocol}// are not supported; use an http:// one`);
  }
  return proxy;
}

async function absoluteRoute(url: URL, proxy: URL, agentOf: AgentSource): Promise<Route> {
  const secure = proxy.protocol === "https:";
  const client = process.getBuiltinModule(secure ? "node:https" : "node:http");
  const agent = agentOf(secure ? "https" : "http", () => new client.Agent(agentOptions));
  const headers = { host: url.host, ...credentials(proxy) };
  return {
    request: (request) => client.request(request),
    options: { ...address(proxy), path: url.href, agent },
    headers,
  };
}

interface TunnelOptions extends RequestOptions, SecureOptions {
  /** Ends the building of the tunnel; not named `signal`, because that would end a connection long handed on. */
  tunnelSignal?: AbortSignal;
}

type Connect = (target: { host: string; port: number }, signal: AbortSignal | undefined) => Promise<Duplex>;

async function tunnelMaker(proxy: URL): Promise<Connect> {
  const client = proxy.protocol === "https:" ? await import("node:https") : await import("node:http");
  return ({ host, port }, signal) =>
    new Promise((resolve, reject) => {
      const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
      const headers = { host: authority, ...credentials(proxy) };
      const request = client.request({ ...address(proxy), method: "CONNECT", path: authority, headers, agent: false });
      const abort = (): void => {
        request.destroy();
      };
      signal?.addEventListener("abort", abort, { once: true });
      request.once("close", () => signal?.removeEventListener("abort", abort));
      request.once("error", reject);
      request.once("connect", (response: IncomingMessage, socket: Duplex) => {
        signal?.removeEventListener("abort", abort);
        if (response.statusCode === 200) resolve(socket);
        else {
          socket.destroy();
          reject(refusal(proxy, response.statusCode ?? 0));
        }
      });
      request.end();
    });
}

function refusal(proxy: URL, status: number): Error {
  const text = `the proxy ${proxy.protocol}//${proxy.host} refused the tunnel (${status})`;
  return status >= 500
    ? new Error(text)
    : new ConfigurationError(status === 407 ? `${text}: put user and password into HTTPS_PROXY` : text);
}

type HttpsAgent = new (options: AgentOptions) => Agent;

/** An agent whose connections are TLS inside a tunnel. */
function tunnelAgentClass(base: HttpsAgent, connect: Connect): HttpsAgent {
  return class TunnelAgent extends base {
    override createConnection(
      options: RequestOptions,
      callback?: (error: Error | null, stream: Duplex) => void,
    ): undefined {
      const { tunnelSignal, host, port, ...rest } = options as TunnelOptions;
      const target = { host: host ?? "", port: Number(port) };
      const secure = async (): Promise<Duplex> => {
        const tls = await import("node:tls");
        const socket = await connect(target, tunnelSignal);
        return tls.connect({ ...(rest as ConnectionOptions), host: target.host, socket });
      };
      secure().then(
        (stream) => callback?.(null, stream),
        (error: unknown) => (callback as ((error: Error) => void) | undefined)?.(error as Error),
      );
      return undefined;
    }
  };
}

function address(proxy: URL): RequestOptions {
  return { host: bareHost(proxy), port: proxy.port || (proxy.protocol === "https:" ? 443 : 80) };
}

function credentials(proxy: URL): Record<string, string> {
  if (proxy.username === "" && proxy.password === "") return {};
  return { "proxy-authorization": basicCredentials(proxy) };
}
