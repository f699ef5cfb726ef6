/** The proxy that the user's own environment names: what leaves the sandbox goes the way all else on this machine goes. */
import { request as requestPlain } from "node:http";
import type { Duplex } from "node:stream";
import { bypasses } from "../../lib/no-proxy.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Undefined where the host is reached directly. `host` in its plain form. A variable that is no http: or https: URL names none. */
export function upstreamFor(environment: Environment, host: string, port: number, isSecure: boolean): URL | undefined {
  const of = (name: string): string | undefined => environment[name] || environment[name.toUpperCase()] || undefined;
  const given = of(isSecure ? "https_proxy" : "http_proxy") ?? of("all_proxy");
  const target = new URL(`${isSecure ? "https" : "http"}://${host}:${port}/`);
  if (given === undefined || bypasses(of("no_proxy"), target)) return undefined;
  const written = given.includes("://") ? given : `http://${given}`;
  const proxy = URL.canParse(written) ? new URL(written) : undefined;
  return proxy !== undefined && /^https?:$/u.test(proxy.protocol) ? proxy : undefined;
}

export function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

export interface ProxyAddress {
  host: string;
  port: number;
}

export function addressOf(proxy: URL): ProxyAddress {
  const usual = proxy.protocol === "https:" ? 443 : 80;
  return { host: proxy.hostname.replace(/^\[|\]$/gu, ""), port: proxy.port === "" ? usual : Number(proxy.port) };
}

/** A connection to the host by way of the proxy. Rejects where the proxy gives none within the time. */
export async function tunnelThrough(proxy: URL, host: string, port: number, limitMs: number): Promise<Duplex> {
  const request = proxy.protocol === "https:" ? (await import("node:https")).request : requestPlain;
  const authority = `${host}:${port}`;
  const headers = { host: authority, ...proxyAuthorization(proxy) };
  return await new Promise((resolve, reject) => {
    const asked = request({ ...addressOf(proxy), method: "CONNECT", path: authority, headers, agent: false });
    asked.setTimeout(limitMs, () => asked.destroy(new Error("it does not answer")));
    asked.once("error", reject);
    asked.once("connect", (answer, socket: Duplex, head: Buffer) => {
      if (answer.statusCode !== 200) {
        socket.destroy();
        reject(new Error(`it answered ${answer.statusCode ?? 0}`));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.end();
  });
}
