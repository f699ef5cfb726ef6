/** The narrowest view of HTTP the adapter needs: one request, one status, a body in pieces. */

/** What a transport reports about a request on its way. */
export interface SendProgress {
  /** To be called as parts of the body are sent, including the last: time spent sending does not count as the server's silence. */
  onSent?: () => void;
  /** To be called if `signal` aborts before there is a connection: nothing of the request was sent. */
  onUnsent?: () => void;
}

export interface PiecedRequest extends SendProgress {
  method: "POST";
  /** Absolute. */
  url: string;
  headers: Record<string, string>;
  /** JSON as UTF-8, in pieces to be sent one after the other, so that what the last request also contained is not copied again. */
  pieces: readonly Uint8Array[];
  signal: AbortSignal;
}

/** The request that a host's transport receives. */
export interface TransportRequest extends PiecedRequest {
  /** Path and query of `url`. */
  path: string;
  /** The pieces joined; computed on access. */
  readonly body: Uint8Array;
}

export interface TransportResponse {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Uncompressed. Throws if the connection broke before the body was complete. `isRead`: everything was yielded, and the end has come. */
  body: AsyncIterable<Uint8Array> & { readonly isRead?: boolean };
}

/**
 * Resolves once the headers are in; rejects if there is no answer. Aborting `signal` closes the connection at once, whatever its
 * state. Redirects are answers.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** A transport that keeps connections open, and can let go of them. */
export interface OwnedTransport {
  send(request: PiecedRequest): Promise<TransportResponse>;
  /** Closes idle connections. Must not be used afterwards. */
  dispose(): void;
}
