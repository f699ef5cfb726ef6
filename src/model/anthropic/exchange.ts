/** One request over Node's HTTP client, and its answer as it comes. */
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { onAbort } from "../../lib/on-abort.ts";
import { markBroken, markUsed } from "./connections.ts";
import { decodedBody } from "./content-encoding.ts";
import { prematureCloseError } from "./incoming-body.ts";
import type { PiecedRequest, TransportResponse } from "./transport.ts";

/** How one request is made: the client function, and the options that do not come from the request itself. */
export interface Route {
  /** Looks Node's own function up at each call: HTTP tracing may replace it at any time. */
  request: (options: RequestOptions) => ClientRequest;
  options: RequestOptions;
  /** Additional headers for the route. */
  headers?: Record<string, string>;
  /** The proxy that the route uses. */
  proxy?: URL;
}

/** In bytes, four times Node's default. An answer whose headers are too long would be requested, and paid for, again. */
const maxHeaderSize = 65_536;

interface Waiter {
  resolve(answer: TransportResponse): void;
  reject(error: unknown): void;
}

export function exchange(route: Route, request: PiecedRequest): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = openRequest(route, request);
    // In a function of its own, so that its closures do not hold the sent bytes: hundreds of calls may be waiting.
    listenForAnswer(route, outgoing, request, { resolve, reject });
    sendBody(outgoing, request);
  });
}

function openRequest(route: Route, { method, headers, pieces }: PiecedRequest): ClientRequest {
  let length = 0;
  for (const piece of pieces) length += piece.byteLength;
  // An object rather than a list: Node takes both, but HTTP tracing breaks a list.
  const requestHeaders = route.headers === undefined ? headers : { ...headers, ...route.headers };
  const fields = { ...requestHeaders, "content-length": length };
  return route.request({ ...route.options, maxHeaderSize, method, headers: fields });
}

/** In bytes. What even a slow line sends in a moment goes out in one part. */
const partLength = 256 * 1024;

function sendBody(outgoing: ClientRequest, { pieces, onSent }: PiecedRequest): void {
  if (onSent !== undefined && pieces.some(({ byteLength }) => byteLength > partLength))
    return sendByParts(outgoing, pieces.flatMap(partsOf), onSent);
  const last = pieces.length - 1;
  for (let index = 0; index < last; index++) outgoing.write(pieces[index]);
  endRequest(outgoing, pieces[last], onSent);
}

/** Node also calls back if the part could not be sent. */
function endRequest(outgoing: ClientRequest, part: Uint8Array | undefined, onSent: (() => void) | undefined): void {
  outgoing.end(part, (error?: Error | null) => {
    if (!error) onSent?.();
  });
}

function partsOf(piece: Uint8Array): Uint8Array[] {
  const count = Math.max(1, Math.ceil(piece.byteLength / partLength));
  return Array.from({ length: count }, (_, at) => piece.subarray(at * partLength, (at + 1) * partLength));
}

/** Sends the parts one after the other as they are taken: if all were written at once, Node would report only the last. */
function sendByParts(outgoing: ClientRequest, parts: Uint8Array[], onSent: () => void): void {
  const part = parts.shift();
  if (parts.length === 0) return endRequest(outgoing, part, onSent);
  outgoing.write(part, (error) => {
    // The request's own error event reports what broke.
    if (error) return;
    onSent();
    sendByParts(outgoing, parts, onSent);
  });
}

function listenForAnswer(
  { options }: Route,
  outgoing: ClientRequest,
  { signal, onUnsent }: PiecedRequest,
  waiter: Waiter,
): void {
  let isAnswered = false;
  const stopListening = onAbort(signal, () => {
    if (!isAnswered && !isConnected(outgoing)) onUnsent?.();
    // Without an error: if the answer has just ended, nobody listens on the socket any more and the error would be thrown.
    outgoing.destroy();
  });
  const letGo = (): void => {
    stopListening();
    markUsed(options);
    // Closed without an error and without an answer, as after an unrequested protocol upgrade.
    if (!isAnswered) waiter.reject(prematureCloseError());
  };
  outgoing.on("close", letGo);
  // Stays for good: an error after the answer began is reported by the body, and must not crash the process here.
  outgoing.on("error", (error) => {
    if (outgoing.reusedSocket && !isAnswered && !signal.aborted) markBroken(options);
    waiter.reject(error);
  });
  outgoing.on("response", (incoming) => {
    isAnswered = true;
    waiter.resolve({
      status: incoming.statusCode ?? 0,
      headers: flatHeaders(incoming),
      body: decodedBody(incoming, letGo),
    });
  });
}

/** The request has a connection. Before that (through a proxy or over TLS: before the handshake ends) nothing can have gone out. */
function isConnected({ socket }: ClientRequest): boolean {
  return socket !== null && !socket.connecting && !("secureConnecting" in socket && socket.secureConnecting === true);
}

function flatHeaders({ headers }: IncomingMessage): Record<string, string> {
  // The only header that Node returns as a list.
  if (headers["set-cookie"] === undefined) return headers as Record<string, string>;
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return result;
}
