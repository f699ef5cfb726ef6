/** Passes a tool call's input on as the server's own text where parsing would change an integer in it. */
import { isRecord } from "../../lib/is-record.ts";
import { findRoundedInteger } from "../../lib/rounded-integer.ts";
import type { RawStreamEvent } from "../../protocol/stream-event.ts";

/** @param exactEvent the same event with all digits (`parseKeepingDigits`), or undefined if parsing lost none. */
export function withExactInput(event: RawStreamEvent, exactEvent: unknown): RawStreamEvent[] {
  if (!isRecord(exactEvent)) return [event];
  const { content_block: block, delta } = event;
  if (isRecord(block) && block["type"] === "tool_use" && isRecord(block["input"])) {
    const json = jsonAt(exactEvent["content_block"], "input");
    if (findRoundedInteger(json) === undefined) return [event];
    const piece = { type: "input_json_delta", partial_json: json };
    return [
      { ...event, content_block: { ...block, input: {} } },
      { type: "content_block_delta", index: event["index"], delta: piece },
    ];
  }
  if (isRecord(delta) && isRecord(delta["partial_json"]))
    return [{ ...event, delta: { ...delta, partial_json: jsonAt(exactEvent["delta"], "partial_json") } }];
  return [event];
}

function jsonAt(value: unknown, field: string): string {
  return JSON.stringify(isRecord(value) ? value[field] : undefined) ?? "";
}
