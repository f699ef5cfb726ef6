/** `fetch` that goes the way the environment names. Node's own takes no proxy unless its process was begun so. */
import type { Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import type { Dispatcher, buildConnector } from "undici";
import { basicCredentials } from "./basic-credentials.ts";
import { bareHost } from "./hosts.ts";
import { loadOnce } from "./load-once.ts";
import { proxyAbroad, tunnelThrough, type ProxyVariables } from "./proxy.ts";

/** What Node's `fetch` is made of, and can be told of a proxy. */
const loadUndici = loadOnce(() => import("undici"));
type Undici = Awaited<ReturnType<typeof loadUndici>>;
/** Of this process, by kind and proxy: what they hold open ends by itself, and keeps no process alive. */
const ways = new Map<string, Dispatcher>();
/** Of silence, before there is a tunnel, ms. */
const connectMs = 10_000;

type FetchLike = (input: string | URL, init?: RequestInit) => Promise<Response>;

/** Nobody else is asked for what is on this machine. Rejects with `UnusableProxy` where what is named is none. */
export function fetchBy(environment: ProxyVariables): FetchLike {
  return async (input, init) => {
    const url = new URL(input);
    const proxy = proxyAbroad(url, environment);
    if (proxy === undefined) return await fetch(input, init);
    const undici = await loadUndici();
    const dispatcher = wayBy(undici, proxy, url.protocol === "https:");
    // The same by another copy: their types do not know each other.
    const asked = { ...init, dispatcher } as unknown as Parameters<Undici["fetch"]>[1];
    return (await undici.fetch(url, asked)) as unknown as Response;
  };
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
    tunnelThrough(proxy, target, { limitMs: connectMs }).then((socket) => {
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
