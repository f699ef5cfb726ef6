/** `fetch` that goes the way the environment names. Node's own takes no proxy unless its process was begun so. */
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectSecurely } from "node:tls";
import type { Dispatcher, buildConnector } from "undici";
import { basicCredentials } from "./basic-credentials.ts";
import { isError } from "./error-text.ts";
import { bareHost } from "./hosts.ts";
import { loadOnce } from "./load-once.ts";
import { TunnelRefused } from "./proxy-errors.ts";
import { proxyAbroad, tunnelThrough, type ProxyVariables } from "./proxy.ts";

/** What Node's `fetch` is made of, and can be told of a proxy. */
const loadUndici = loadOnce(() => import("undici"));
type Undici = Awaited<ReturnType<typeof loadUndici>>;
/** Of this process, by kind and proxy: what they hold open ends by itself, and keeps no process alive. */
const ways = new Map<string, Dispatcher>();
/** Of silence, before there is a tunnel, ms. */
const connectMs = 10_000;
/** Of silence, after which the system asks whether the other side is there, ms; as where there is no tunnel. */
const keepAliveMs = 60_000;

type KeptAlive = Duplex & { setKeepAlive?: (on: boolean, ms: number) => void };

export interface WaitingInit extends RequestInit {
  /** However long the answer takes: whoever asks has a limit of its own. Otherwise five minutes of silence are the end. */
  isPatient?: boolean;
}

type FetchLike = (input: string | URL, init?: WaitingInit) => Promise<Response>;
type Dispatch = Dispatcher["dispatch"];

/** Nobody else is asked for what is on this machine. Rejects with `UnusableProxy` where what is named is none. */
export function fetchBy(environment: ProxyVariables): FetchLike {
  return async (input, given = {}) => {
    const { isPatient = false, ...init } = given;
    const url = new URL(input);
    const proxy = proxyAbroad(url, environment);
    if (proxy === undefined) return await fetch(input, isPatient ? { ...init, ...patientInit() } : init);
    const undici = await loadUndici();
    const way = wayBy(undici, proxy, url.protocol === "https:");
    const by = isPatient ? patiently(way) : { dispatcher: way };
    // The same by another copy: their types do not know each other.
    const asked = { ...init, ...by } as unknown as Parameters<Undici["fetch"]>[1];
    try {
      return (await undici.fetch(url, asked)) as unknown as Response;
    } catch (error) {
      throw wantsCredentials(error)
        ? new TypeError("fetch failed", { cause: new TunnelRefused(proxy, 407, "request") })
        : error;
    }
  };
}

/** Its own word for such an answer says only that an argument is wrong. */
function wantsCredentials(error: unknown): boolean {
  return (
    isError(error) && isError(error.cause) && error.cause.message.startsWith("Proxy Authentication Required (407)")
  );
}

function patiently(way: Pick<Dispatcher, "dispatch">): { dispatcher: Pick<Dispatcher, "dispatch"> } {
  const dispatch: Dispatch = (options, handler) =>
    way.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  return { dispatcher: { dispatch } };
}

/** What makes Node's `fetch` wait, by the name that its way has; nothing where it has none of those names. */
function patientInit(): RequestInit {
  // Read for what it loads: there is no way before.
  void Headers;
  const kind = Number.parseInt(process.versions["undici"] ?? "", 10) < 8 ? 1 : 2;
  const way = (globalThis as Record<symbol, unknown>)[Symbol.for(`undici.globalDispatcher.${kind}`)];
  const isWay = typeof way === "object" && way !== null && "dispatch" in way && typeof way.dispatch === "function";
  return isWay ? (patiently(way as Dispatcher) as unknown as RequestInit) : {};
}

function wayBy({ Agent, ProxyAgent }: Undici, proxy: URL, isSecure: boolean): Dispatcher {
  const key = `${isSecure ? "tunnel" : "plain"} ${proxy.href}`;
  const known = ways.get(key);
  if (known !== undefined) return known;
  // Its own tunnels do not say why there is none.
  const way = isSecure
    ? new Agent({ allowH2: false, connect: tunnels(proxy) })
    : new ProxyAgent({ uri: proxy.origin, ...tokenOf(proxy), proxyTunnel: false });
  ways.set(key, way);
  return way;
}

function tokenOf(proxy: URL): { token?: string } {
  return proxy.username === "" && proxy.password === "" ? {} : { token: basicCredentials(proxy) };
}

function tunnels(proxy: URL): buildConnector.connector {
  return ({ hostname, port, protocol, servername }, callback) => {
    const host = bareHost(hostname);
    const failed = (error: unknown): void => callback(error as Error, null);
    const isSecure = protocol === "https:";
    const target = { host, port: Number(port || (isSecure ? 443 : 80)) };
    tunnelThrough(proxy, target, { limitMs: connectMs }).then((socket: KeptAlive) => {
      socket.setKeepAlive?.(true, keepAliveMs);
      // A redirect may lead away from TLS.
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
