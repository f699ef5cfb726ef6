/** A whole message as JSON, from a server or gateway that does not stream, converted to stream events. */
import { tryParseJson } from "../../lib/try-parse-json.ts";
import { parseKeepingDigits } from "../../lib/rounded-integer.ts";
import type { RawStreamEvent } from "../../protocol/stream-event.ts";
import { isRecord } from "../../lib/is-record.ts";
import { mayCutAnswer } from "./stop-reason.ts";
import { withExactInput } from "./exact-input.ts";

export type JsonAnswer =
  | { kind: "events"; events: RawStreamEvent[] }
  | { kind: "error"; error: unknown }
  | { kind: "other"; what: string };

export function readJsonAnswer(text: string): JsonAnswer {
  const value = tryParseJson(text);
  if (value === undefined) return { kind: "other", what: "answered with JSON that is cut or broken" };
  if (!isRecord(value)) return { kind: "other", what: "answered with JSON that is not a message" };
  if (value["type"] === "error" || (reportsError(value) && value["content"] === undefined))
    return { kind: "error", error: value };
  const content = contentOf(value);
  if (content === undefined)
    return { kind: "other", what: "answered with JSON that is not a message of the Messages API" };
  const exactMessage = parseKeepingDigits(text);
  const exactEvents = isRecord(exactMessage) ? toEvents(exactMessage, contentOf(exactMessage) ?? []) : [];
  return {
    kind: "events",
    events: toEvents(value, content).flatMap((event, at) => withExactInput(event, exactEvents[at])),
  };
}

/** The content as a list. Other vendors' servers send plain text as a string, and missing content as null. */
function contentOf({ type, content }: Record<string, unknown>): unknown[] | undefined {
  if (Array.isArray(content)) return content;
  if (type !== "message") return undefined;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content === null ? [] : undefined;
}

/** Other vendors' servers report an error as an object or a string, and some with `success: false`. */
function reportsError({ error, success }: Record<string, unknown>): boolean {
  return isRecord(error) || (typeof error === "string" && error !== "") || success === false;
}

function toEvents(message: Record<string, unknown>, content: unknown[]): RawStreamEvent[] {
  const { stop_reason, stop_sequence, stop_details, usage } = message;
  const events: RawStreamEvent[] = [{ type: "message_start", message: { ...message, content: [], stop_reason: null } }];
  const cut = typeof stop_reason === "string" && mayCutAnswer(stop_reason);
  for (const [index, block] of content.entries()) {
    if (!isRecord(block)) continue;
    // A tool call cut by the output limit still has an object as its input. Emptied, it is dropped like a call without input.
    const doubtful = cut && index === content.length - 1 && block["type"] === "tool_use";
    events.push({ type: "content_block_start", index, content_block: doubtful ? { ...block, input: {} } : block });
    events.push({ type: "content_block_stop", index });
  }
  events.push({
    type: "message_delta",
    delta: { stop_reason: stop_reason ?? null, stop_sequence: stop_sequence ?? null, stop_details },
    usage,
  });
  events.push({ type: "message_stop" });
  return events;
}
