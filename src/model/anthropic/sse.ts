/** Bytes to events: decodes UTF-8, then server-sent events, then JSON. Holds at most one event, whose size is bounded. */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { isRecord } from "../../lib/is-record.ts";
import { parseKeepingDigits } from "../../lib/rounded-integer.ts";
import type { RawStreamEvent } from "../../protocol/stream-event.ts";
import { withExactInput } from "./exact-input.ts";

/** In characters of one event. The API's own events are far smaller, and a server must not be able to fill the memory. */
const maxEventLength = 64 * 1024 * 1024;
/** In bytes of one response: several times the size of the longest answer as deltas. */
const maxResponseBytes = 512 * 1024 * 1024;

/** The stream violates its format. The message is a clause for people. */
export class StreamFormatError extends Error {
  override readonly name = "StreamFormatError";
  /** The events completed before the violation, in the same bytes: how the network splits bytes must not decide what is heard. */
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

/** Gateways report an error in another protocol's form, without an event name and without a type. */
function reportsError({ error }: Record<string, unknown>): boolean {
  return (typeof error === "object" && error !== null) || (typeof error === "string" && error !== "");
}

/** In characters, kept while no event but pings has come. */
const maxOpeningLength = 1024 * 1024;

export interface EventReader {
  /** The events completed by these bytes, in order. Throws `StreamFormatError`. */
  read(bytes: Uint8Array): RawStreamEvent[];
  /** At the end: a JSON object that came instead of events. Gateways that first send comments to keep the connection open answer so. */
  json(): string | undefined;
}

/** The parser handles the byte-order mark at the start; one in the middle of a text is part of it. */
const createTextDecoder = () => new TextDecoder("utf-8", { ignoreBOM: true });
const wholeCharacters = createTextDecoder();

export function createEventReader(): EventReader {
  // Created only once bytes were split inside a character: a stateful decoder is expensive to create.
  let decoder: typeof wholeCharacters | undefined;
  const textOf = (bytes: Uint8Array): string => {
    if (decoder === undefined && (bytes.at(-1) ?? 0) < 0x80) return wholeCharacters.decode(bytes);
    decoder ??= createTextDecoder();
    return decoder.decode(bytes, { stream: true });
  };
  let events: RawStreamEvent[] = [];
  let problem: string | undefined;
  let isOver = false;
  let total = 0;
  /** Undefined once an event other than a ping has come. */
  let opening: string | undefined = "";
  // Unknown events are skipped, as is everything after the protocol's last event: nothing is lost.
  const onEvent = ({ data, event: name }: EventSourceMessage): void => {
    if (isOver || problem !== undefined || data === "" || data === "[DONE]") return;
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      if (name === "error") events.push({ type: "error", error: { message: data } });
      // A gateway's own words, such as `data: ping`, can be skipped; half an object cannot.
      else if (name === undefined ? data.trimStart().startsWith("{") : protocolEvents.has(name))
        problem = "sent a stream event that is not JSON";
      return;
    }
    if (!isRecord(value)) return;
    if (typeof value["type"] === "string")
      events.push(...withExactInput(value as RawStreamEvent, parseKeepingDigits(data)));
    else if (reportsError(value)) events.push({ ...value, type: "error" });
    else if (name !== undefined) events.push({ ...value, type: name });
    isOver = events.at(-1)?.type === "message_stop";
  };
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent,
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") problem = "sent a stream event of more than 64 MiB";
    },
  });
  return {
    read(bytes) {
      total += bytes.byteLength;
      if (total > maxResponseBytes) throw new StreamFormatError("sent a response of more than 512 MiB");
      const text = textOf(bytes);
      parser.feed(text);
      if (opening !== undefined) {
        const isOpen = opening.length <= maxOpeningLength && events.every(({ type }) => type === "ping");
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
