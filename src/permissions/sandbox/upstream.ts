/** The upstream proxy from the user's environment: connections out of the sandbox take the same way as others of this machine. */
import { UnusableProxy } from "../../lib/proxy-errors.ts";
import type { Environment } from "../../lib/environment.ts";
import { proxyFor } from "../../lib/proxy.ts";

/** Undefined if the host is reached directly. `host` is in its plain form. A variable that is not an http: or https: URL is ignored. */
export function upstreamFor(environment: Environment, host: string, port: number, isSecure: boolean): URL | undefined {
  try {
    return proxyFor(new URL(`${isSecure ? "https" : "http"}://${host}:${port}/`), environment);
  } catch (error) {
    if (error instanceof UnusableProxy) return undefined;
    throw error;
  }
}
