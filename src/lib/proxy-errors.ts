/** The errors of proxies. */
import { errorCode, isError } from "./error-text.ts";

/** The variable does not name a proxy that is supported. */
export class UnusableProxy extends Error {}

/** The proxy answered but made no tunnel, or refused a request that needs none. */
export class TunnelRefused extends Error {
  readonly status: number;

  constructor(proxy: URL, status: number, what: "tunnel" | "request" = "tunnel") {
    const advice = refusalAdvice(proxy, status, what === "tunnel" ? "HTTPS_PROXY" : "HTTP_PROXY");
    super(`the proxy ${proxy.protocol}//${proxy.host} refused the ${what} (${status})${advice}`);
    this.status = status;
  }
}

function refusalAdvice({ username }: URL, status: number, variable: string): string {
  if (status === 403) return ": it does not allow this host, or its port";
  if (status !== 407) return "";
  return username === "" ? `: put user and password into ${variable}` : `: check user and password in ${variable}`;
}

/** The proxy cannot be connected to, or broke off before the tunnel was made; see the cause. */
export class ProxyUnreachable extends Error {
  /** The code of the cause. */
  readonly code?: string;

  constructor({ protocol, host }: URL, cause: unknown) {
    super(`the proxy ${protocol}//${host}`, { cause });
    const code = errorCode(cause);
    if (code !== undefined) this.code = code;
  }
}

/** Attributes a connection error to the proxy: no other connection is opened. */
export function toProxyError(proxy: URL, error: unknown): unknown {
  return isConnectFailure(error) ? new ProxyUnreachable(proxy, error) : error;
}

/** Whether no connection was established, so that nothing was sent. */
export function isConnectFailure(error: unknown): boolean {
  const first: unknown = isError(error) && "errors" in error && Array.isArray(error.errors) ? error.errors[0] : error;
  const syscall = isError(first) && "syscall" in first ? first.syscall : undefined;
  return syscall === "connect" || syscall === "getaddrinfo";
}

/** Whether repeating the request would fail the same way. */
export function isLastingRefusal(error: unknown): error is Error {
  return error instanceof UnusableProxy || (error instanceof TunnelRefused && error.status < 500);
}
