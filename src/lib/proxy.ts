/** Proxies that the environment names: an absolute URL for what is asked over http, a tunnel for all else. */
import type { Agent, ClientRequest, IncomingMessage, OutgoingHttpHeaders, request, RequestOptions } from "node:http";
import type { AgentOptions } from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import type { ConnectionOptions } from "node:tls";
import { basicCredentials } from "./basic-credentials.ts";
import { bareHost, isThisMachine } from "./hosts.ts";
import { bypasses } from "./no-proxy.ts";
import { ProxyUnreachable, TunnelRefused, UnusableProxy } from "./proxy-errors.ts";

export type ProxyVariables = Readonly<Record<string, string | undefined>>;

/** `url`: of http or https. Undefined: it is asked directly. Lower-case names win, as in curl. Throws `UnusableProxy`. */
export function proxyFor(url: URL, environment: ProxyVariables): URL | undefined {
  const of = (name: string): string | undefined => environment[name] || environment[name.toUpperCase()] || undefined;
  const given = of(url.protocol === "https:" ? "https_proxy" : "http_proxy") ?? of("all_proxy");
  if (given === undefined || bypasses(of("no_proxy"), url)) return undefined;
  const written = given.includes("://") ? given : `http://${given}`;
  if (!URL.canParse(written))
    throw new UnusableProxy("the proxy variable (HTTPS_PROXY, HTTP_PROXY or ALL_PROXY) is not a URL");
  const proxy = new URL(written);
  if (proxy.protocol !== "http:" && proxy.protocol !== "https:")
    throw new UnusableProxy(`proxies of the kind ${proxy.protocol}// are not supported; use an http:// one`);
  return proxy;
}

/** The same, but for this machine itself: nobody else is asked for what is here. */
export function proxyAbroad(url: URL, environment: ProxyVariables): URL | undefined {
  return isThisMachine(url.hostname) ? undefined : proxyFor(url, environment);
}

function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === "" && proxy.password === "") return {};
  return { "proxy-authorization": basicCredentials(proxy) };
}

export interface ProxyAddress {
  host: string;
  port: number;
  /** Whose certificate it has to show, over https; left out, Node takes the name in the host header, which is another's. */
  servername?: string;
}

function proxyAddress(proxy: URL): ProxyAddress {
  const isSecure = proxy.protocol === "https:";
  const host = bareHost(proxy.hostname);
  const port = proxy.port === "" ? (isSecure ? 443 : 80) : Number(proxy.port);
  // An address is no name to be asked for; the certificate is held against it all the same.
  return isSecure ? { host, port, servername: isIP(host) === 0 ? host : "" } : { host, port };
}

export interface TunnelWait {
  signal?: AbortSignal | undefined;
  /** Of silence, ms. Absent: whoever waits has a limit of its own. */
  limitMs?: number;
  /** What is asked for keeps no process alive. */
  isUnref?: boolean;
}

/** A connection to the host by way of the proxy. Rejects with `TunnelRefused` where it answers and makes none, with `ProxyUnreachable` where it breaks off. */
export async function tunnelThrough(
  proxy: URL,
  { host, port }: { host: string; port: number },
  { signal, limitMs, isUnref = false }: TunnelWait,
): Promise<Duplex> {
  const { request } = clientOf(proxy.protocol === "https:");
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const headers = { host: authority, ...proxyAuthorization(proxy) };
  return await new Promise((resolve, reject) => {
    const asked = request({ ...proxyAddress(proxy), method: "CONNECT", path: authority, headers, agent: false });
    const abort = (): void => void asked.destroy(new Error("aborted"));
    if (limitMs !== undefined) asked.setTimeout(limitMs, () => asked.destroy(new Error("it does not answer")));
    if (isUnref) asked.once("socket", (socket) => socket.unref());
    asked.once("close", () => signal?.removeEventListener("abort", abort));
    asked.on("error", (error) => reject("code" in error ? new ProxyUnreachable(proxy, error) : error));
    asked.once("connect", (answer: IncomingMessage, socket: Duplex & { setTimeout?: (ms: number) => void }, head) => {
      signal?.removeEventListener("abort", abort);
      const { statusCode: status = 0 } = answer;
      if (status < 200 || status > 299) {
        socket.destroy();
        return reject(new TunnelRefused(proxy, status));
      }
      socket.setTimeout?.(0);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted === true) abort();
    asked.end();
  });
}

export interface AbsoluteRequest extends ProxyAddress {
  protocol: string;
  path: string;
  headers: Record<string, string>;
}

/** What a request over http says to the proxy instead of its server. */
export function absoluteRequest(url: URL, proxy: URL): AbsoluteRequest {
  const headers = { host: url.host, ...proxyAuthorization(proxy) };
  return { ...proxyAddress(proxy), protocol: proxy.protocol, path: url.href, headers };
}

/** Of a request whose connection is a tunnel. */
export interface TunnelOptions extends RequestOptions {
  /** How its building is waited for; not `signal`, because that would end a connection long handed on. */
  tunnel?: TunnelWait;
}

type AgentClass = new (options: AgentOptions) => Agent;

/** A kind of agent whose connections go through a tunnel; `isSecure`: by TLS. */
export function tunnelAgent(base: AgentClass, proxy: URL, isSecure = true): AgentClass {
  return class TunnelAgent extends base {
    override createConnection(
      options: RequestOptions,
      callback?: (error: Error | null, stream: Duplex) => void,
    ): undefined {
      const { tunnel = {}, host, port, ...rest } = options as TunnelOptions;
      const target = { host: host ?? "", port: Number(port) };
      const made = async (): Promise<Duplex> => {
        const socket = await tunnelThrough(proxy, target, tunnel);
        if (!isSecure) return socket;
        const tls = process.getBuiltinModule("node:tls");
        return tls.connect({ ...(rest as ConnectionOptions), host: target.host, socket });
      };
      made().then(
        (stream) => callback?.(null, stream),
        (error: unknown) => (callback as ((error: Error) => void) | undefined)?.(error as Error),
      );
      return undefined;
    }
  };
}

export interface OnceOptions extends RequestOptions {
  headers: OutgoingHttpHeaders;
}

export interface OnceWay {
  /** Undefined: directly. */
  proxy: URL | undefined;
  /** A tunnel also for what is asked over http: for what is no request once it is answered. */
  alwaysTunnels?: boolean;
  /** It keeps no process alive. */
  isUnref?: boolean;
}

/** One request on a connection of its own. `signal` of the options ends the building of a tunnel, too; `destroy` does not. */
export function requestOnce(url: URL, options: OnceOptions, way: OnceWay): ClientRequest {
  const { proxy, alwaysTunnels = false, isUnref = false } = way;
  const isSecure = url.protocol === "https:";
  const client = clientOf(isSecure);
  if (proxy === undefined) return client.request(url, { ...options, agent: false });
  if (!isSecure && !alwaysTunnels) {
    const { headers, ...place } = absoluteRequest(url, proxy);
    const asked = { ...options, ...place, headers: { ...options.headers, ...headers }, agent: false };
    return clientOf(proxy.protocol === "https:").request(asked);
  }
  const agent = new (tunnelAgent(client.Agent, proxy, isSecure))({});
  const tunnelled: TunnelOptions = { ...options, agent, tunnel: { signal: options.signal, isUnref } };
  return client.request(url, tunnelled);
}

/** Not imported: what asks over http alone need not load the other. */
function clientOf(isSecure: boolean): { request: typeof request; Agent: AgentClass } {
  return process.getBuiltinModule(isSecure ? "node:https" : "node:http");
}
