/**
 * Recognizes a server that speaks the other one of the two HTTP transports than its configuration says. Both transports wait for
 * something that such a server never sends, so without this the reason would only be that it did not answer in time.
 */
import { SdkError, SdkErrorCode, type Transport } from "@modelcontextprotocol/client";
import type { EventSourceMessage } from "eventsource-parser";
import { defaultEventName, parseMessage } from "./stream-messages.ts";

type HttpKind = "http" | "sse";

/** The event with which an older server begins its stream. */
export const endpointEventName = "endpoint";

/** @param what what is at the address instead, as a clause or as a status. */
export function otherKindText(type: HttpKind, what: string): string {
  return `there is no MCP server of type ${type} at its address (${what}); ${otherKindHint(type)}`;
}

export function otherKindHint(type: HttpKind): string {
  return `for the other kind, set "type": "${type === "sse" ? "http" : "sse"}"`;
}

/** The server opened a stream as newer servers do, without the address that an older one begins with. */
export class NoEndpoint extends Error {
  /** It may only be slow. */
  readonly isSlow: boolean;

  constructor(isSlow: boolean) {
    const missing = "its stream does not begin with the address for messages";
    super(isSlow ? `${missing}; ${otherKindHint("sse")}` : otherKindText("sse", missing));
    this.isSlow = isSlow;
  }
}

/** Whether the stream of an `sse` server begins as it should. */
export class EndpointWatch {
  readonly #failed = Promise.withResolvers<never>();
  #hasOpened = false;
  #hasBegun = false;

  constructor() {
    // Nobody may be waiting for it yet, or any more.
    this.#failed.promise.catch(() => undefined);
  }

  noteOpened(): void {
    this.#hasOpened = true;
  }

  /** Anything but a request may be a greeting: some servers send text, JSON or a notification before the address. */
  noteEvent({ event = defaultEventName, data }: EventSourceMessage): void {
    if (this.#hasBegun) return;
    const { id, method } = event === defaultEventName ? parseMessage(data) : {};
    const isRequest = method !== undefined && id !== undefined;
    this.#hasBegun = isRequest || event === endpointEventName;
    if (isRequest) this.#failed.reject(new NoEndpoint(false));
  }

  /** Makes the start of the transport fail as soon as the stream shows that no address will come. */
  guardStart(transport: Pick<Transport, "start">): void {
    const start = transport.start.bind(transport);
    transport.start = async () => await Promise.race([start(), this.#failed.promise]);
  }

  /** Names what did not come within the time limit. Any other error is returned as it is. */
  explainTimeout(error: unknown): unknown {
    const isTimeout = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
    return isTimeout && this.#hasOpened && !this.#hasBegun ? new NoEndpoint(true) : error;
  }
}
