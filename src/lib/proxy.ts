/** Proxies that the environment names: an absolute URL for what is asked over http, a tunnel for all else. */
import { request as plainRequest, type Agent, type IncomingMessage, type RequestOptions } from "node:http";
import type { AgentOptions } from "node:https";
import type { Duplex } from "node:stream";
import type { ConnectionOptions } from "node:tls";
import { basicCredentials } from "./basic-credentials.ts";
import { bypasses } from "./no-proxy.ts";
import { TunnelRefused, UnusableProxy } from "./proxy-errors.ts";

export type ProxyVariables = Readonly<Record<string, string | undefined>>;

/** Undefined: the URL is asked directly. Lower-case names win, as in curl. Throws `UnusableProxy`. */
export function proxyFor(url: URL, environment: ProxyVariables): URL | undefined {
  const of = (name: string): string | undefined => environment[name] || environment[name.toUpperCase()] || undefined;
  const isSecure = url.protocol === "https:" || url.protocol === "wss:";
  const given = of(isSecure ? "https_proxy" : "http_proxy") ?? of("all_proxy");
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

function isThisMachine(hostname: string): boolean {
  return /^(?:127(?:\.\d+){3}|\[::1\]|(?:.+\.)?localhost\.?)$/iu.test(hostname);
}

export function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === "" && proxy.password === "") return {};
  return { "proxy-authorization": basicCredentials(proxy) };
}

export interface ProxyAddress {
  host: string;
  port: number;
}

export function proxyAddress(proxy: URL): ProxyAddress {
  const usual = proxy.protocol === "https:" ? 443 : 80;
  return { host: proxy.hostname.replace(/^\[|\]$/gu, ""), port: proxy.port === "" ? usual : Number(proxy.port) };
}

export interface TunnelWait {
  signal?: AbortSignal | undefined;
  /** Of silence, ms. Absent: whoever waits has a limit of its own. */
  limitMs?: number;
  /** What is asked for keeps no process alive. */
  isUnref?: boolean;
}

/** A connection to the host by way of the proxy. Rejects with `TunnelRefused` where it answers, and makes none. */
export async function tunnelThrough(
  proxy: URL,
  { host, port }: { host: string; port: number },
  { signal, limitMs, isUnref = false }: TunnelWait,
): Promise<Duplex> {
  const request = proxy.protocol === "https:" ? (await import("node:https")).request : plainRequest;
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const headers = { host: authority, ...proxyAuthorization(proxy) };
  return await new Promise((resolve, reject) => {
    const asked = request({ ...proxyAddress(proxy), method: "CONNECT", path: authority, headers, agent: false });
    const abort = (): void => void asked.destroy(new Error("aborted"));
    if (limitMs !== undefined) asked.setTimeout(limitMs, () => asked.destroy(new Error("it does not answer")));
    if (isUnref) asked.once("socket", (socket) => socket.unref());
    asked.once("close", () => signal?.removeEventListener("abort", abort));
    asked.on("error", reject);
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

/** What a request over http says to the proxy instead of its server. */
export function absoluteRequest(url: URL, proxy: URL): RequestOptions & { headers: Record<string, string> } {
  const headers = { host: url.host, ...proxyAuthorization(proxy) };
  return { ...proxyAddress(proxy), protocol: proxy.protocol, path: url.href, headers };
}

/** Of a request whose connection is a tunnel. */
export interface TunnelOptions extends RequestOptions {
  /** How its building is waited for; not `signal`, because that would end a connection long handed on. */
  tunnel?: TunnelWait;
}

type HttpsAgent = new (options: AgentOptions) => Agent;

/** A kind of agent whose connections are TLS inside a tunnel. */
export function tunnelAgent(base: HttpsAgent, proxy: URL): HttpsAgent {
  return class TunnelAgent extends base {
    override createConnection(
      options: RequestOptions,
      callback?: (error: Error | null, stream: Duplex) => void,
    ): undefined {
      const { tunnel = {}, host, port, ...rest } = options as TunnelOptions;
      const target = { host: host ?? "", port: Number(port) };
      const secure = async (): Promise<Duplex> => {
        const tls = await import("node:tls");
        const socket = await tunnelThrough(proxy, target, tunnel);
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
