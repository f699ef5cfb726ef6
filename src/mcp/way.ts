/** An open way to a server, and how it ends. */
import type { Transport } from "@modelcontextprotocol/client";

export interface OpenTransport {
  transport: Transport;
  /** Ends it for good; resolves when nothing of it is left. `isForgotten`: the server knows nothing of it any more. */
  close(isForgotten?: boolean): Promise<void>;
  killNow(): void;
  /** What a process last wrote to its standard error. */
  lastErrors(): string;
  /** Whether newer protocol versions may be asked for: where the question costs no second process. */
  mayNegotiate: boolean;
  /** The server gave this connection a name that it may forget. */
  hasSession(): boolean;
  /** Whether this refusal may come of that it was not asked how new it is: the next way asks. Absent where it was. */
  isNewer?: (error: unknown) => boolean;
  /** Ends a login that a refusal began; absent where nobody can be asked. */
  finishLogin?: () => Promise<void>;
}

export function plain(transport: Transport, mayNegotiate = false): OpenTransport {
  return {
    transport,
    close: () => transport.close(),
    killNow: () => {},
    lastErrors: () => "",
    mayNegotiate,
    hasSession: () => transport.sessionId !== undefined,
  };
}
