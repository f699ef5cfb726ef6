/** The narrowest view of HTTP the adapter needs: one request, one status, a body in pieces. */

/** What a transport tells of a request on its way. */
export interface SendProgress {
  /** To be called as parts of a body are taken off, with the last one too: time that sending takes is no silence of the server's. */
  onSent?: () => void;
  /** To be called where `signal` aborts before there is a connection: nothing of it was sent. */
  onUnsent?: () => void;
}

export interface PiecedRequest extends SendProgress {
  method: "POST";
  /** Absolute. */
  url: string;
  headers: Record<string, string>;
  /** JSON as UTF-8, in pieces to be sent one after the other: what was in the last request too is not copied for this one. */
  pieces: readonly Uint8Array[];
  signal: AbortSignal;
}

/** What a host's transport is given. */
export interface TransportRequest extends PiecedRequest {
  /** Path and query of `url`. */
  path: string;
  /** The pieces in one, made when it is asked for. */
  readonly body: Uint8Array;
}

export interface TransportResponse {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Not compressed. Throws where the connection broke before the body was whole. `isRead`: all was given, and the end has come. */
  body: AsyncIterable<Uint8Array> & { readonly isRead?: boolean };
}

/**
 * Resolves once the headers are in; rejects where there is no answer. An abort of `signal` closes the connection at
 * once, whatever state it is in. Redirects are answers.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** A transport that keeps connections open, and can let go of them. */
export interface OwnedTransport {
  send(request: PiecedRequest): Promise<TransportResponse>;
  /** Closes idle connections. Must not be used afterwards. */
  dispose(): void;
}
