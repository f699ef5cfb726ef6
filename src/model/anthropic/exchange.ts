/** One request over Node's HTTP client, and its answer as it comes. */
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { brokeWhenReused, wasUsed } from "./connections.ts";
import { decodedBody } from "./content-encoding.ts";
import { prematureClose } from "./incoming-body.ts";
import type { PiecedRequest, TransportResponse } from "./transport.ts";

/** How one request is made: which client, and what it is told besides the request's own. */
export interface Route {
  /** Looks Node's own function up at each call: what traces HTTP puts its own in that place, at any time. */
  request: (options: RequestOptions) => ClientRequest;
  options: RequestOptions;
  /** Headers of the route's own. */
  headers?: Record<string, string>;
  /** That it goes by way of. */
  proxy?: URL;
}

/** Bytes: four times what Node takes by itself. An answer that cannot be read is asked for again, and paid again. */
const maxHeaderSize = 65_536;

interface Waiter {
  resolve(answer: TransportResponse): void;
  reject(error: unknown): void;
}

export function exchange(route: Route, request: PiecedRequest): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = opened(route, request);
    // What waits for the answer does not hold what was sent: hundreds of calls may be waiting.
    answered(route, outgoing, request, { resolve, reject });
    send(outgoing, request);
  });
}

function opened(route: Route, { method, headers, pieces }: PiecedRequest): ClientRequest {
  let length = 0;
  for (const piece of pieces) length += piece.byteLength;
  // As an object: a list, which Node takes too, is broken by what traces a process's HTTP.
  const own = route.headers === undefined ? headers : { ...headers, ...route.headers };
  const fields = { ...own, "content-length": length };
  return route.request({ ...route.options, maxHeaderSize, method, headers: fields });
}

/** Bytes: what even a slow line takes in a moment is sent in one go. */
const partLength = 256 * 1024;

function send(outgoing: ClientRequest, { pieces, onSent }: PiecedRequest): void {
  if (onSent !== undefined && pieces.some(({ byteLength }) => byteLength > partLength))
    return sendByParts(outgoing, pieces.flatMap(partsOf), onSent);
  const last = pieces.length - 1;
  for (let index = 0; index < last; index++) outgoing.write(pieces[index]);
  end(outgoing, pieces[last], onSent);
}

/** Node calls back also where it could not be sent. */
function end(outgoing: ClientRequest, part: Uint8Array | undefined, onSent: (() => void) | undefined): void {
  outgoing.end(part, (error?: Error | null) => {
    if (!error) onSent?.();
  });
}

function partsOf(piece: Uint8Array): Uint8Array[] {
  const count = Math.max(1, Math.ceil(piece.byteLength / partLength));
  return Array.from({ length: count }, (_, at) => piece.subarray(at * partLength, (at + 1) * partLength));
}

/** One after the other, as they are taken: all at once, Node would tell of the last alone. */
function sendByParts(outgoing: ClientRequest, parts: Uint8Array[], onSent: () => void): void {
  const part = parts.shift();
  if (parts.length === 0) return end(outgoing, part, onSent);
  outgoing.write(part, (error) => {
    // The request itself tells what broke.
    if (error) return;
    onSent();
    sendByParts(outgoing, parts, onSent);
  });
}

function answered(
  { options }: Route,
  outgoing: ClientRequest,
  { signal, onUnsent }: PiecedRequest,
  waiter: Waiter,
): void {
  let isAnswered = false;
  const abort = (): void => {
    if (!isAnswered && !isConnected(outgoing)) onUnsent?.();
    // Without an error: where the answer has just ended, nobody listens on the socket any more, and one would be thrown.
    outgoing.destroy();
  };
  const letGo = (): void => {
    signal.removeEventListener("abort", abort);
    wasUsed(options);
    // Closed without an error and without an answer, as after a change of protocol that nobody asked for.
    if (!isAnswered) waiter.reject(prematureClose());
  };
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort);
  outgoing.on("close", letGo);
  // Stays for good: an error after the answer began is the body's to tell, and must not crash the process here.
  outgoing.on("error", (error) => {
    if (outgoing.reusedSocket && !isAnswered && !signal.aborted) brokeWhenReused(options);
    waiter.reject(error);
  });
  outgoing.on("response", (incoming) => {
    isAnswered = true;
    waiter.resolve({ status: incoming.statusCode ?? 0, headers: flat(incoming), body: decodedBody(incoming, letGo) });
  });
}

/** Before, nothing of a request can have gone out: through a proxy and by TLS there is a connection once that is agreed on. */
function isConnected({ socket }: ClientRequest): boolean {
  return socket !== null && !socket.connecting && !("secureConnecting" in socket && socket.secureConnecting === true);
}

function flat({ headers }: IncomingMessage): Record<string, string> {
  // The only header that Node gives as a list.
  if (headers["set-cookie"] === undefined) return headers as Record<string, string>;
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return result;
}
