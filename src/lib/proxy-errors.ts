/** Why a proxy is of no use. */

/** What a variable says is no proxy that is spoken to. */
export class UnusableProxy extends Error {}

/** A proxy that answered, and made no tunnel. */
export class TunnelRefused extends Error {
  readonly status: number;

  constructor({ protocol, host }: URL, status: number) {
    const advice = status === 407 ? ": put user and password into HTTPS_PROXY" : "";
    super(`the proxy ${protocol}//${host} refused the tunnel (${status})${advice}`);
    this.status = status;
  }
}

/** The proxy itself cannot be connected to; the cause says why. */
export class ProxyUnreachable extends Error {
  constructor({ protocol, host }: URL, cause: unknown) {
    super(`the proxy ${protocol}//${host}`, { cause });
  }
}

/** What came of a request by way of the proxy: no other connection than the one to it is opened. */
export function ofProxy(proxy: URL, error: unknown): unknown {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const syscall = first instanceof Error && "syscall" in first ? first.syscall : undefined;
  return syscall === "connect" || syscall === "getaddrinfo" ? new ProxyUnreachable(proxy, error) : error;
}

/** Asked again as it is, it would say the same. */
export function isLastingRefusal(error: unknown): error is Error {
  return error instanceof UnusableProxy || (error instanceof TunnelRefused && error.status < 500);
}
