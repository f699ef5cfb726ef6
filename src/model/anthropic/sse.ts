/** Bytes to events: UTF-8, then server-sent events, then JSON. Holds at most one event, whose size is bounded. */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { isRecord } from "../../lib/is-record.ts";
import { withDigits } from "../../lib/rounded-integer.ts";
import type { RawStreamEvent } from "../../protocol/stream-event.ts";
import { spelled } from "./whole-input.ts";

/** Characters of one event; the API's own are far smaller, and a server must not be able to fill the memory. */
const largestEvent = 64 * 1024 * 1024;
/** Bytes of one response: several times what the longest answer takes as deltas. */
const largestResponse = 512 * 1024 * 1024;

/** The stream breaks the rules of its format; the message is a clause for people. */
export class StreamFormatError extends Error {
  override readonly name = "StreamFormatError";
  /** What came whole before it, in the same bytes: how a network cuts them must not decide what is heard. */
  readonly events: readonly RawStreamEvent[];

  constructor(message: string, events: readonly RawStreamEvent[] = []) {
    super(message);
    this.events = events;
  }
}

/** Events whose loss would change what the response says. */
const protocolEvents = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
]);

/** Gateways tell an error in the words of another protocol, without a name of the event and without a type. */
function isError({ error }: Record<string, unknown>): boolean {
  return (typeof error === "object" && error !== null) || (typeof error === "string" && error !== "");
}

/** Characters that are kept while no event but pings has come. */
const longestOpening = 1024 * 1024;

export interface EventReader {
  /** The events completed by these bytes, in order. Throws `StreamFormatError`. */
  read(bytes: Uint8Array): RawStreamEvent[];
  /** At the end: an object that came in place of events. Gateways that have sent comments to keep the connection open write one so. */
  json(): string | undefined;
}

/** The parser takes the byte-order mark; one in the middle of a text is a part of it. */
const createDecoder = () => new TextDecoder("utf-8", { ignoreBOM: true });
const wholeCharacters = createDecoder();

export function createEventReader(): EventReader {
  // Only for a response that was cut inside a character: a decoder that remembers is dear to make.
  let decoder: typeof wholeCharacters | undefined;
  const textOf = (bytes: Uint8Array): string => {
    if (decoder === undefined && (bytes.at(-1) ?? 0) < 0x80) return wholeCharacters.decode(bytes);
    decoder ??= createDecoder();
    return decoder.decode(bytes, { stream: true });
  };
  let events: RawStreamEvent[] = [];
  let problem: string | undefined;
  let isOver = false;
  let total = 0;
  /** Undefined once an event has come that is no ping. */
  let opening: string | undefined = "";
  // What the protocol does not know is passed over, and all that comes after its last event: nothing is lost by it.
  const onEvent = ({ data, event: name }: EventSourceMessage): void => {
    if (isOver || problem !== undefined || data === "" || data === "[DONE]") return;
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      if (name === "error") events.push({ type: "error", error: { message: data } });
      // Words of a gateway's own, such as `data: ping`, are nobody's; half an object is.
      else if (name === undefined ? data.trimStart().startsWith("{") : protocolEvents.has(name))
        problem = "sent a stream event that is not JSON";
      return;
    }
    if (!isRecord(value)) return;
    if (typeof value["type"] === "string") events.push(...spelled(value as RawStreamEvent, withDigits(data)));
    else if (isError(value)) events.push({ ...value, type: "error" });
    else if (name !== undefined) events.push({ ...value, type: name });
    isOver = events.at(-1)?.type === "message_stop";
  };
  const parser = createParser({
    maxBufferSize: largestEvent,
    onEvent,
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") problem = "sent a stream event of more than 64 MiB";
    },
  });
  return {
    read(bytes) {
      total += bytes.byteLength;
      if (total > largestResponse) throw new StreamFormatError("sent a response of more than 512 MiB");
      const text = textOf(bytes);
      parser.feed(text);
      if (opening !== undefined) {
        const isOpen = opening.length <= longestOpening && events.every(({ type }) => type === "ping");
        opening = isOpen ? opening + text : undefined;
      }
      if (problem !== undefined) throw new StreamFormatError(problem, events);
      const read = events;
      if (read.length > 0) events = [];
      return read;
    },
    json: () => (opening === undefined ? undefined : /^[ \t]*\{[^]*/m.exec(opening)?.[0]),
  };
}
