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

/** Asked again as it is, it would say the same. */
export function isLastingRefusal(error: unknown): error is Error {
  return error instanceof UnusableProxy || (error instanceof TunnelRefused && error.status < 500);
}
