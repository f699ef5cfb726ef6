/** An open transport to a server, and how it is closed. */
import type { Transport } from "@modelcontextprotocol/client";

export interface OpenTransport {
  transport: Transport;
  /** Closes it for good; resolves when nothing is left. `isForgotten`: the server has already forgotten the session. */
  close(isForgotten?: boolean): Promise<void>;
  killNow(): void;
  /** The last output of a process that was no message, or why a socket was closed. */
  lastWords(): string;
  /** Whether newer protocol versions may be requested: only where the question costs no second process. */
  mayNegotiate: boolean;
  /** The server gave this connection a session id that it may forget. */
  hasSession(): boolean;
  /** Whether this refusal may come from not having asked for the protocol version: the next transport asks. Absent if it did ask. */
  needsNegotiation?: (error: unknown) => boolean;
  /** Returns a better reason for an error while connecting, or that error. */
  explainFailure?: (error: unknown) => unknown;
  /** How the server's process ended by itself, as a clause, if that says more than its last output. */
  howItEnded?: () => string | undefined;
  /** Completes a login that a refusal began; absent if nobody can be asked. */
  finishLogin?: () => Promise<void>;
}

export function wrapTransport(transport: Transport, mayNegotiate = false): OpenTransport {
  return {
    transport,
    close: () => transport.close(),
    killNow: () => {},
    lastWords: () => "",
    mayNegotiate,
    hasSession: () => transport.sessionId !== undefined,
  };
}
