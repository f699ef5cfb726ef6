/** `fetch` that goes the way the environment names. Node's own takes no proxy unless its process was begun so. */
import { connect as connectSecurely } from "node:tls";
import type { Dispatcher, buildConnector } from "undici";
import { basicCredentials } from "./basic-credentials.ts";
import { loadOnce } from "./load-once.ts";
import { proxyAbroad, tunnelThrough, type ProxyVariables } from "./proxy.ts";

/** What Node's `fetch` is made of, and can be told of a proxy. */
const loadUndici = loadOnce(() => import("undici"));
type Undici = Awaited<ReturnType<typeof loadUndici>>;
/** Of this process, by kind and proxy: what they hold open ends by itself, and keeps no process alive. */
const ways = new Map<string, Dispatcher>();
/** Of silence, before there is a tunnel, ms. */
const connectMs = 10_000;

/** Nobody else is asked for what is on this machine. Rejects with `UnusableProxy` where what is named is none. */
export function fetchBy(environment: ProxyVariables): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const proxy = proxyAbroad(url, environment);
    if (proxy === undefined) return await fetch(input, init);
    const undici = await loadUndici();
    const dispatcher = wayBy(undici, proxy, url.protocol === "https:");
    // The same by another copy: their types do not know each other.
    const asked = { ...init, dispatcher } as unknown as Parameters<Undici["fetch"]>[1];
    return (await undici.fetch(input as Parameters<Undici["fetch"]>[0], asked)) as unknown as Response;
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
  return ({ hostname, port, servername }, callback) => {
    const host = hostname.replace(/^\[|\]$/gu, "");
    const failed = (error: unknown): void => callback(error as Error, null);
    tunnelThrough(proxy, { host, port: Number(port || 443) }, { limitMs: connectMs }).then((socket) => {
      const secure = connectSecurely({ host, servername: servername ?? host, socket, ALPNProtocols: ["http/1.1"] });
      secure.once("error", failed);
      secure.once("secureConnect", () => {
        secure.off("error", failed);
        callback(null, secure);
      });
    }, failed);
  };
}
