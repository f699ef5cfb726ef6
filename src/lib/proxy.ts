/** Proxies from the environment: http requests send an absolute URL to the proxy, everything else uses a tunnel. */
import type { Agent, ClientRequest, IncomingMessage, OutgoingHttpHeaders, request, RequestOptions } from "node:http";
import type { AgentOptions } from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import type { ConnectionOptions } from "node:tls";
import type { Environment } from "./environment.ts";
import { basicCredentials } from "./basic-credentials.ts";
import { bareHost, isThisMachine } from "./hosts.ts";
import { bypassesProxy } from "./no-proxy.ts";
import { onAbort } from "./on-abort.ts";
import { ProxyUnreachable, TunnelRefused, UnusableProxy } from "./proxy-errors.ts";

/** `url` is http or https. Undefined: request it directly. Lower-case variables win, as in curl. Throws `UnusableProxy`. */
export function proxyFor(url: URL, environment: Environment): URL | undefined {
  const readVariable = (name: string): string | undefined =>
    environment[name] || environment[name.toUpperCase()] || undefined;
  const configured =
    readVariable(url.protocol === "https:" ? "https_proxy" : "http_proxy") ?? readVariable("all_proxy");
  if (configured === undefined || bypassesProxy(readVariable("no_proxy"), url)) return undefined;
  const written = configured.includes("://") ? configured : `http://${configured}`;
  if (!URL.canParse(written))
    throw new UnusableProxy("the proxy variable (HTTPS_PROXY, HTTP_PROXY or ALL_PROXY) is not a URL");
  const proxy = new URL(written);
  if (proxy.protocol !== "http:" && proxy.protocol !== "https:")
    throw new UnusableProxy(`proxies of the kind ${proxy.protocol}// are not supported; use an http:// one`);
  return proxy;
}

/** Like `proxyFor`, but no proxy is used for this machine itself. */
export function proxyUnlessLocal(url: URL, environment: Environment): URL | undefined {
  return isThisMachine(url.hostname) ? undefined : proxyFor(url, environment);
}

function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === "" && proxy.password === "") return {};
  return { "proxy-authorization": basicCredentials(proxy) };
}

export interface ProxyAddress {
  host: string;
  port: number;
  /** The name for the proxy's certificate; without it Node.js takes the host header, which names another host. */
  servername?: string;
}

function proxyAddress(proxy: URL): ProxyAddress {
  const isSecure = proxy.protocol === "https:";
  const host = bareHost(proxy.hostname);
  const port = proxy.port === "" ? (isSecure ? 443 : 80) : Number(proxy.port);
  // An IP address is not sent as a server name, but the certificate is still checked against it.
  return isSecure ? { host, port, servername: isIP(host) === 0 ? host : "" } : { host, port };
}

export interface TunnelWait {
  signal?: AbortSignal | undefined;
  /** The longest silence, ms. Absent: the caller has its own limit. */
  limitMs?: number;
  /** The connection does not keep the process alive. */
  isUnref?: boolean;
}

/** Connects through the proxy. Rejects with `TunnelRefused` if it answers but makes no tunnel, with `ProxyUnreachable` if it fails. */
export async function tunnelThrough(
  proxy: URL,
  { host, port }: { host: string; port: number },
  { signal, limitMs, isUnref = false }: TunnelWait,
): Promise<Duplex> {
  const { request } = httpClient(proxy.protocol === "https:");
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const headers = { host: authority, ...proxyAuthorization(proxy) };
  return await new Promise((resolve, reject) => {
    const connectRequest = request({
      ...proxyAddress(proxy),
      method: "CONNECT",
      path: authority,
      headers,
      agent: false,
    });
    if (limitMs !== undefined)
      connectRequest.setTimeout(limitMs, () => connectRequest.destroy(new Error("it does not answer")));
    if (isUnref) connectRequest.once("socket", (socket) => socket.unref());
    connectRequest.once("close", () => stopListening());
    connectRequest.on("error", (error) => reject("code" in error ? new ProxyUnreachable(proxy, error) : error));
    connectRequest.once(
      "connect",
      (answer: IncomingMessage, socket: Duplex & { setTimeout?: (ms: number) => void }, head) => {
        stopListening();
        const { statusCode: status = 0 } = answer;
        if (status < 200 || status > 299) {
          socket.destroy();
          return reject(new TunnelRefused(proxy, status));
        }
        socket.setTimeout?.(0);
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      },
    );
    const stopListening = onAbort(signal, () => connectRequest.destroy(new Error("aborted")));
    connectRequest.end();
  });
}

export interface AbsoluteRequest extends ProxyAddress {
  protocol: string;
  path: string;
  headers: Record<string, string>;
}

/** The options of an http request that is sent to the proxy instead of its server. */
export function absoluteRequest(url: URL, proxy: URL): AbsoluteRequest {
  const headers = { host: url.host, ...proxyAuthorization(proxy) };
  return { ...proxyAddress(proxy), protocol: proxy.protocol, path: url.href, headers };
}

/** The options of a request whose connection is a tunnel. */
export interface TunnelOptions extends RequestOptions {
  /** How to wait for the tunnel. Not `signal`, because that would also end a connection that was handed on long ago. */
  tunnel?: TunnelWait;
}

type AgentClass = new (options: AgentOptions) => Agent;

/** Returns an agent class whose connections go through a tunnel; `isSecure`: with TLS inside. */
export function tunnelAgent(base: AgentClass, proxy: URL, isSecure = true): AgentClass {
  return class TunnelAgent extends base {
    override createConnection(
      options: RequestOptions,
      callback?: (error: Error | null, stream: Duplex) => void,
    ): undefined {
      const { tunnel = {}, host, port, ...rest } = options as TunnelOptions;
      const target = { host: host ?? "", port: Number(port) };
      const connect = async (): Promise<Duplex> => {
        const socket = await tunnelThrough(proxy, target, tunnel);
        if (!isSecure) return socket;
        const tls = process.getBuiltinModule("node:tls");
        return tls.connect({ ...(rest as ConnectionOptions), host: target.host, socket });
      };
      connect().then(
        (stream) => callback?.(null, stream),
        (error: unknown) => (callback as ((error: Error) => void) | undefined)?.(error as Error),
      );
      return undefined;
    }
  };
}

export interface SingleRequestOptions extends RequestOptions {
  headers: OutgoingHttpHeaders;
}

export interface RequestRoute {
  /** Undefined: connect directly. */
  proxy: URL | undefined;
  /** Use a tunnel for http too: for protocols that are not plain requests once answered. */
  alwaysTunnels?: boolean;
  /** The request does not keep the process alive. */
  isUnref?: boolean;
}

/** Sends one request on its own connection. The `signal` of `options` also cancels building the tunnel; `destroy` does not. */
export function requestOnce(url: URL, options: SingleRequestOptions, route: RequestRoute): ClientRequest {
  const { proxy, alwaysTunnels = false, isUnref = false } = route;
  const isSecure = url.protocol === "https:";
  const client = httpClient(isSecure);
  if (proxy === undefined) return client.request(url, { ...options, agent: false });
  if (!isSecure && !alwaysTunnels) {
    const { headers, ...place } = absoluteRequest(url, proxy);
    const proxiedRequest = { ...options, ...place, headers: { ...options.headers, ...headers }, agent: false };
    return httpClient(proxy.protocol === "https:").request(proxiedRequest);
  }
  const agent = new (tunnelAgent(client.Agent, proxy, isSecure))({});
  const tunnelled: TunnelOptions = { ...options, agent, tunnel: { signal: options.signal, isUnref } };
  return client.request(url, tunnelled);
}

/** Not imported, so that a client for one protocol need not load the other. */
function httpClient(isSecure: boolean): { request: typeof request; Agent: AgentClass } {
  return process.getBuiltinModule(isSecure ? "node:https" : "node:http");
}
