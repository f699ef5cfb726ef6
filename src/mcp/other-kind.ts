/**
 * Recognizes a server that speaks the other one of the two HTTP transports than its configuration says. Both transports wait for
 * something that such a server never sends, so without this the reason would only be that it did not answer in time.
 */
import type { Transport } from "@modelcontextprotocol/client";
import type { EventSourceMessage } from "eventsource-parser";
import { defaultEventName, parseMessage } from "./stream-messages.ts";
import type { McpWorld } from "./world.ts";

type HttpKind = "http" | "sse";

/** The event with which an older server begins its stream. */
export const endpointEventName = "endpoint";

/** The share of the connection time limit that a server may take to say where messages go. */
const endpointTimeShare = 2 / 3;

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
  readonly #world: Pick<McpWorld, "clock" | "connectMs">;
  readonly #failed = Promise.withResolvers<never>();
  #stopTimer = (): void => {};
  #hasBegun = false;

  constructor(world: Pick<McpWorld, "clock" | "connectMs">) {
    this.#world = world;
    // Nobody may be waiting for it yet, or any more.
    this.#failed.promise.catch(() => undefined);
  }

  /** The time in which the address must come runs from here. */
  noteOpened(): void {
    if (this.#hasBegun) return;
    const { clock, connectMs } = this.#world;
    this.#stopTimer();
    this.#stopTimer = clock.timer(connectMs * endpointTimeShare, () => this.#failed.reject(new NoEndpoint(true)));
  }

  /** An event of another name says nothing: some servers greet their clients. */
  noteEvent({ event = defaultEventName, data }: EventSourceMessage): void {
    const isMessage = event === defaultEventName && Object.keys(parseMessage(data)).length > 0;
    if (this.#hasBegun || !(isMessage || event === endpointEventName)) return;
    this.#hasBegun = true;
    this.#stopTimer();
    if (isMessage) this.#failed.reject(new NoEndpoint(false));
  }

  /** Makes the start of the transport fail as soon as the stream shows that no address will come. */
  guardStart(transport: Pick<Transport, "start">): void {
    const start = transport.start.bind(transport);
    transport.start = async () => {
      try {
        await Promise.race([start(), this.#failed.promise]);
      } finally {
        this.#stopTimer();
      }
    };
  }
}
