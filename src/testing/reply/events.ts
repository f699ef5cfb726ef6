/** The response as stream events in the protocol's order, each with the output produced so far. */
import { isObject, stringOrEmpty, type Json, type JsonObject, type WireUsage } from "../wire/types.ts";
import type { OutgoingBlock } from "./compose.ts";

export interface StreamEvent {
  /** The complete SSE text of the event. */
  text: string;
  kind: "message_start" | "block_start" | "delta" | "block_stop" | "message_delta" | "message_stop" | "other";
  /** Output bytes produced up to and including this event. */
  outputBytes: number;
  /** This event completes a client tool's call. */
  completesTool?: boolean;
}

export interface ResponseHead {
  id: string;
  model: string;
  usage: WireUsage;
  stopReason: string;
  stopSequence: string | null;
  /** Null if there are no details; absent if the endpoint does not have the field. */
  stopDetails?: JsonObject | null;
  /** Further fields of the message object, e.g. `input_transformations`. */
  extras: JsonObject;
}

export interface EventOptions {
  deltaCharacters: number;
  extraEvents: readonly { after: number; event?: string; data: Json }[];
  /** Leaves out the usage fields that a compatible endpoint does not have. */
  shownUsage(usage: WireUsage): JsonObject;
}

export function formatSseEvent(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}

export function streamEvents(head: ResponseHead, blocks: OutgoingBlock[], options: EventOptions): StreamEvent[] {
  const events: StreamEvent[] = [];
  let produced = 0;
  const push = (kind: StreamEvent["kind"], name: string, data: string) => {
    events.push({ text: formatSseEvent(name, data), kind, outputBytes: produced });
  };
  push(
    "message_start",
    "message_start",
    JSON.stringify({ type: "message_start", message: startMessage(head, options) }),
  );
  push("other", "ping", '{"type":"ping"}');
  blocks.forEach((block, index) => {
    const start = { type: "content_block_start", index, content_block: block.start };
    push("block_start", "content_block_start", JSON.stringify(start));
    const pieces = splitPayload(block, options.deltaCharacters);
    const share = block.billedBytes / Math.max(1, pieces.length);
    const before = produced;
    pieces.forEach((piece, position) => {
      produced = before + Math.round(share * (position + 1));
      push("delta", "content_block_delta", deltaData(index, block, piece));
    });
    produced = before + block.billedBytes;
    for (const citation of block.citations ?? []) {
      push(
        "delta",
        "content_block_delta",
        JSON.stringify({ type: "content_block_delta", index, delta: { type: "citations_delta", citation } }),
      );
    }
    if (block.signature !== undefined) {
      const delta = { type: "signature_delta", signature: block.signature };
      push("delta", "content_block_delta", JSON.stringify({ type: "content_block_delta", index, delta }));
    }
    push("block_stop", "content_block_stop", `{"type":"content_block_stop","index":${index}}`);
    if (block.start.type === "tool_use" && block.isCut !== true) (events.at(-1) as StreamEvent).completesTool = true;
  });
  push("message_delta", "message_delta", JSON.stringify(endMessage(head, options)));
  push("message_stop", "message_stop", '{"type":"message_stop"}');
  return withExtras(events, options.extraEvents);
}

function startMessage(head: ResponseHead, options: EventOptions): JsonObject {
  return {
    id: head.id,
    type: "message",
    role: "assistant",
    model: head.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(head.stopDetails === undefined ? {} : { stop_details: null }),
    usage: options.shownUsage({ ...head.usage, output_tokens: Math.min(1, head.usage.output_tokens) }),
    ...head.extras,
  };
}

function endMessage(head: ResponseHead, options: EventOptions): JsonObject {
  const delta: JsonObject = { stop_reason: head.stopReason, stop_sequence: head.stopSequence };
  if (head.stopDetails !== undefined) delta["stop_details"] = head.stopDetails;
  return { type: "message_delta", delta, usage: options.shownUsage(head.usage) };
}

const deltaFields = {
  text_delta: "text",
  input_json_delta: "partial_json",
  thinking_delta: "thinking",
  compaction_delta: "content",
} as const;

/** Written by hand for speed: a benchmark streams tens of thousands of these. */
function deltaData(index: number, block: OutgoingBlock, piece: string): string {
  const type = block.delta ?? "text_delta";
  return `{"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${deltaFields[type]}":${JSON.stringify(piece)}}}`;
}

/** Like the API: tool input begins with an empty piece, and `{}` has no other piece; a summary comes in one piece. */
function splitPayload(block: OutgoingBlock, size: number): string[] {
  if (block.delta === "compaction_delta") return [block.payload];
  if (block.delta !== "input_json_delta") return splitText(block.payload, size);
  return block.payload === "{}" ? [""] : ["", ...splitText(block.payload, size)];
}

/** Pieces of `size` UTF-16 units, never splitting a surrogate pair. */
function splitText(text: string, size: number): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (from < text.length) {
    let to = Math.min(text.length, from + Math.max(1, size));
    const unit = text.charCodeAt(to - 1);
    if (unit >= 0xd800 && unit <= 0xdbff && to < text.length) to++;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

function withExtras(events: StreamEvent[], extras: EventOptions["extraEvents"]): StreamEvent[] {
  if (extras.length === 0) return events;
  return events.flatMap((event, index) => [
    event,
    ...extras
      .filter(({ after }) => after === index)
      .map(({ event: name, data }): StreamEvent => {
        const text = typeof data === "string" ? data : JSON.stringify(data);
        const type = isObject(data) ? stringOrEmpty(data["type"]) : "";
        return {
          text: formatSseEvent(name ?? (type || "message"), text),
          kind: "other",
          outputBytes: event.outputBytes,
        };
      }),
  ]);
}
