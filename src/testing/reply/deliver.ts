/** Sends the events: paced, in chunks, and cut off where a fault says so. */
import { onAbort } from "../../lib/on-abort.ts";
import type { Fault, FaultPoint } from "../script/faults.ts";
import type { Pace } from "../script/types.ts";
import { formatSseEvent, type StreamEvent } from "./events.ts";

export interface Delivery {
  events: StreamEvent[];
  pace: Pace;
  fault: Fault | undefined;
  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  signal: AbortSignal | undefined;
  /** Called for each event about to be sent. */
  onProgress(event: StreamEvent): void;
  /** Called once at the end, however the delivery ended. */
  onEnd(how: "complete" | "cut"): void;
}

/** The error by which Node code recognizes a broken connection. */
export class ConnectionReset extends Error {
  readonly code = "ECONNRESET";
  constructor() {
    super("read ECONNRESET");
  }
}

/** Without pauses, events are sent in chunks of about this size, like a busy server's. */
const chunkCharacters = 16_384;

export async function* deliver(delivery: Delivery): AsyncGenerator<Uint8Array, void, undefined> {
  let how: "complete" | "cut" = "cut";
  try {
    if (delivery.pace.firstByteMs !== undefined) await delivery.sleep(delivery.pace.firstByteMs, delivery.signal);
    how = yield* sendEvents(delivery);
  } finally {
    delivery.onEnd(how);
  }
}

async function* sendEvents(delivery: Delivery): AsyncGenerator<Uint8Array, "complete" | "cut", undefined> {
  const { events, pace, fault, signal } = delivery;
  const stopAt = isBreakFault(fault) ? breakIndex(events, fault.at) : events.length;
  let waiting: StreamEvent[] = [];
  let size = 0;
  const isGarbled = fault?.kind === "garbage";
  for (let index = 0; index < stopAt; index++) {
    const event = events[index] as StreamEvent;
    const pause = pauseBefore(event, events[index - 1], pace);
    if (pause > 0) {
      yield* flush(waiting, delivery);
      waiting = [];
      size = 0;
      await delivery.sleep(pause, signal);
    }
    signal?.throwIfAborted();
    waiting.push(isGarbled ? { ...event, text: garbageFor(index) + event.text } : event);
    size += event.text.length;
    if (size >= chunkCharacters) {
      yield* flush(waiting, delivery);
      waiting = [];
      size = 0;
    }
  }
  yield* flush(waiting, delivery);
  if (!isBreakFault(fault)) return "complete";
  yield* breakStream(fault, delivery);
  return "cut";
}

function pauseBefore(event: StreamEvent, previous: StreamEvent | undefined, pace: Pace): number {
  if (previous?.kind === "block_stop") return pace.blockDelayMs ?? 0;
  return event.kind === "delta" ? (pace.delayMs ?? 0) : 0;
}

function* flush(events: StreamEvent[], delivery: Delivery): Generator<Uint8Array, void, undefined> {
  const last = events.at(-1);
  if (last === undefined) return;
  for (const event of events) delivery.onProgress(event);
  const bytes = Buffer.from(events.map((event) => event.text).join(""));
  const step = Math.max(1, delivery.pace.bytesPerChunk ?? bytes.length);
  for (let from = 0; from < bytes.length; from += step) yield bytes.subarray(from, from + step);
}

type BreakFault = Extract<Fault, { kind: "reset" | "stall" | "truncate" | "error_event" }>;

function isBreakFault(fault: Fault | undefined): fault is BreakFault {
  return fault !== undefined && ["reset", "stall", "truncate", "error_event"].includes(fault.kind);
}

async function* breakStream(fault: BreakFault, delivery: Delivery): AsyncGenerator<Uint8Array, void, undefined> {
  switch (fault.kind) {
    case "reset":
      throw new ConnectionReset();
    case "stall":
      return await waitForever(delivery.signal);
    case "error_event": {
      const error = { type: fault.type ?? "overloaded_error", message: fault.message ?? "Overloaded" };
      yield Buffer.from(formatSseEvent("error", JSON.stringify({ type: "error", error })));
      return;
    }
    case "truncate":
      return;
    default:
      fault satisfies never;
  }
}

/** Never resolves; rejects when the caller gives up. */
export function waitForever(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => void onAbort(signal, () => reject(signal?.reason as Error)));
}

/** The number of events that are still sent. */
function breakIndex(events: StreamEvent[], at: FaultPoint = "mid_block"): number {
  const deltas = events.flatMap((event, index) => (event.kind === "delta" ? [index] : []));
  const lastStart = events.findLastIndex((event) => event.kind === "block_start");
  if (at === "headers" || at === "first_event") return 0;
  if (at === "before_stop") return events.findIndex((event) => event.kind === "message_delta");
  if (at === "mid_block") return Math.max(1, (deltas[0] ?? lastStart) + 1);
  if (at === "mid_last_block") return Math.max(1, (deltas.find((index) => index > lastStart) ?? lastStart) + 1);
  // A stream that is meant to break must not reach its end.
  if ("events" in at) return Math.min(Math.max(0, at.events), events.length - 1);
  return Math.min(Math.floor(at.share * events.length), events.length - 1);
}

/** Everything a parser must skip: comments, unknown fields, an unknown event. */
function garbageFor(index: number): string {
  const lines = [
    ": keep-alive\n\n",
    "retry: 10\n\n",
    "x-unknown: 1\nid: 7\n\n",
    'event: mystery\ndata: {"type":"mystery"}\n\n',
  ];
  return lines[index % lines.length] as string;
}
