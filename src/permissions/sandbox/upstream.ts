/** The proxy that the user's own environment names: what leaves the sandbox goes the way all else on this machine goes. */
import { UnusableProxy } from "../../lib/proxy-errors.ts";
import { proxyFor, type ProxyVariables } from "../../lib/proxy.ts";

/** Undefined where the host is reached directly. `host` in its plain form. A variable that is no http: or https: URL names none. */
export function upstreamFor(
  environment: ProxyVariables,
  host: string,
  port: number,
  isSecure: boolean,
): URL | undefined {
  try {
    return proxyFor(new URL(`${isSecure ? "https" : "http"}://${host}:${port}/`), environment);
  } catch (error) {
    if (error instanceof UnusableProxy) return undefined;
    throw error;
  }
}
