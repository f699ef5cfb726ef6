/** A `fetch` that uses the proxy of the environment. Node.js' own uses none unless its process was started with that option. */
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectSecurely } from "node:tls";
import type { Environment } from "./environment.ts";
import type { Dispatcher, buildConnector } from "undici";
import { basicCredentials } from "./basic-credentials.ts";
import { isError } from "./error-text.ts";
import { bareHost } from "./hosts.ts";
import { loadOnce } from "./load-once.ts";
import { toProxyError, TunnelRefused } from "./proxy-errors.ts";
import { proxyUnlessLocal, tunnelThrough } from "./proxy.ts";

/** The library behind Node.js' `fetch`, which can be given a proxy. */
const loadUndici = loadOnce(() => import("undici"));
type Undici = Awaited<ReturnType<typeof loadUndici>>;
/** One per kind and proxy for the whole process. Open connections end by themselves and do not keep the process alive. */
const dispatchers = new Map<string, Dispatcher>();
/** The longest silence before a tunnel is established, ms. */
const connectMs = 10_000;
/** The silence after which the system probes the other side, ms; the same as without a tunnel. */
const keepAliveMs = 60_000;

type KeepAliveSocket = Duplex & { setKeepAlive?: (on: boolean, ms: number) => void };

export interface WaitingInit extends RequestInit {
  /** Wait for an answer without a limit, because the caller has its own. Otherwise five minutes of silence end the request. */
  isPatient?: boolean;
}

type FetchLike = (input: string | URL, init?: WaitingInit) => Promise<Response>;
type Dispatch = Dispatcher["dispatch"];

/** Requests to this machine use no proxy. Rejects with `UnusableProxy` if the configured proxy is not one. */
export function createProxiedFetch(environment: Environment): FetchLike {
  return async (input, waitingInit = {}) => {
    const { isPatient = false, ...init } = waitingInit;
    const url = new URL(input);
    const proxy = proxyUnlessLocal(url, environment);
    if (proxy === undefined) return await fetch(input, isPatient ? { ...init, ...noTimeoutInit() } : init);
    const undici = await loadUndici();
    const proxyDispatcher = dispatcherFor(undici, proxy, url.protocol === "https:");
    const dispatching = isPatient ? withoutTimeouts(proxyDispatcher) : { dispatcher: proxyDispatcher };
    // Cast: the types of two copies of undici do not match.
    const undiciInit = { ...init, ...dispatching } as unknown as Parameters<Undici["fetch"]>[1];
    try {
      return (await undici.fetch(url, undiciInit)) as unknown as Response;
    } catch (error) {
      throw withProxyError(proxy, error);
    }
  };
}

/** Attributes a failure to the proxy if it comes from there: undici does so for no request that needs no tunnel. */
function withProxyError(proxy: URL, error: unknown): unknown {
  if (needsProxyCredentials(error))
    return new TypeError("fetch failed", { cause: new TunnelRefused(proxy, 407, "request") });
  const cause = isError(error) ? error.cause : undefined;
  const proxyCause = toProxyError(proxy, cause);
  return proxyCause === cause ? error : new TypeError("fetch failed", { cause: proxyCause });
}

/** undici's own error for such an answer says only that an argument is invalid. */
function needsProxyCredentials(error: unknown): boolean {
  return (
    isError(error) && isError(error.cause) && error.cause.message.startsWith("Proxy Authentication Required (407)")
  );
}

function withoutTimeouts(original: Pick<Dispatcher, "dispatch">): { dispatcher: Pick<Dispatcher, "dispatch"> } {
  const dispatch: Dispatch = (options, handler) =>
    original.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  return { dispatcher: { dispatch } };
}

/** Makes Node.js' `fetch` wait, through its global dispatcher; has no effect if none is found under the known names. */
function noTimeoutInit(): RequestInit {
  // Accessed for its side effect: it loads undici, and with it the dispatcher.
  void Headers;
  const kind = Number.parseInt(process.versions["undici"] ?? "", 10) < 8 ? 1 : 2;
  const globalDispatcher = (globalThis as Record<symbol, unknown>)[Symbol.for(`undici.globalDispatcher.${kind}`)];
  const isDispatcher =
    typeof globalDispatcher === "object" &&
    globalDispatcher !== null &&
    "dispatch" in globalDispatcher &&
    typeof globalDispatcher.dispatch === "function";
  return isDispatcher ? (withoutTimeouts(globalDispatcher as Dispatcher) as unknown as RequestInit) : {};
}

function dispatcherFor({ Agent, ProxyAgent }: Undici, proxy: URL, isSecure: boolean): Dispatcher {
  const key = `${isSecure ? "tunnel" : "plain"} ${proxy.href}`;
  const known = dispatchers.get(key);
  if (known !== undefined) return known;
  // undici's own tunnels do not say why a tunnel failed.
  const dispatcher = isSecure
    ? new Agent({ allowH2: false, connect: tunnelConnector(proxy) })
    : new ProxyAgent({ uri: proxy.origin, ...proxyToken(proxy), proxyTunnel: false });
  dispatchers.set(key, dispatcher);
  return dispatcher;
}

function proxyToken(proxy: URL): { token?: string } {
  return proxy.username === "" && proxy.password === "" ? {} : { token: basicCredentials(proxy) };
}

function tunnelConnector(proxy: URL): buildConnector.connector {
  return ({ hostname, port, protocol, servername }, callback) => {
    const host = bareHost(hostname);
    const failed = (error: unknown): void => callback(error as Error, null);
    const isSecure = protocol === "https:";
    const target = { host, port: Number(port || (isSecure ? 443 : 80)) };
    tunnelThrough(proxy, target, { limitMs: connectMs }).then((socket: KeepAliveSocket) => {
      socket.setKeepAlive?.(true, keepAliveMs);
      // A redirect may lead from https to http.
      if (!isSecure) return callback(null, socket as Socket);
      const secure = connectSecurely({ host, servername: servername ?? host, socket, ALPNProtocols: ["http/1.1"] });
      secure.once("error", failed);
      secure.once("secureConnect", () => {
        secure.off("error", failed);
        callback(null, secure);
      });
    }, failed);
  };
}
