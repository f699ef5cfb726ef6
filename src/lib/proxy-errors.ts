/** Why a proxy is of no use. */
import { codeOf, isError } from "./error-text.ts";

/** What a variable says is no proxy that is spoken to. */
export class UnusableProxy extends Error {}

/** A proxy that answered, and made no tunnel; or that took no request, where it needs none. */
export class TunnelRefused extends Error {
  readonly status: number;

  constructor(proxy: URL, status: number, what: "tunnel" | "request" = "tunnel") {
    const advice = adviceOf(proxy, status, what === "tunnel" ? "HTTPS_PROXY" : "HTTP_PROXY");
    super(`the proxy ${proxy.protocol}//${proxy.host} refused the ${what} (${status})${advice}`);
    this.status = status;
  }
}

function adviceOf({ username }: URL, status: number, variable: string): string {
  if (status === 403) return ": it does not allow this host, or its port";
  if (status !== 407) return "";
  return username === "" ? `: put user and password into ${variable}` : `: check user and password in ${variable}`;
}

/** The proxy itself cannot be connected to, or broke off before it had made a tunnel; the cause says why. */
export class ProxyUnreachable extends Error {
  /** That of the cause. */
  readonly code?: string;

  constructor({ protocol, host }: URL, cause: unknown) {
    super(`the proxy ${protocol}//${host}`, { cause });
    const code = codeOf(cause);
    if (code !== undefined) this.code = code;
  }
}

/** What came of a request by way of the proxy: no other connection than the one to it is opened. */
export function ofProxy(proxy: URL, error: unknown): unknown {
  return isUnconnected(error) ? new ProxyUnreachable(proxy, error) : error;
}

/** No connection came to be: nothing was sent. */
export function isUnconnected(error: unknown): boolean {
  const first: unknown = isError(error) && "errors" in error && Array.isArray(error.errors) ? error.errors[0] : error;
  const syscall = isError(first) && "syscall" in first ? first.syscall : undefined;
  return syscall === "connect" || syscall === "getaddrinfo";
}

/** Asked again as it is, it would say the same. */
export function isLastingRefusal(error: unknown): error is Error {
  return error instanceof UnusableProxy || (error instanceof TunnelRefused && error.status < 500);
}
