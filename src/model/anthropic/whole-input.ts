/** Passes a tool call's input on as the server's own text where parsing would change an integer in it. */
import { isRecord } from "../../lib/is-record.ts";
import { roundedInteger } from "../../lib/rounded-integer.ts";
import type { RawStreamEvent } from "../../protocol/stream-event.ts";

/** @param written the same event with all digits (`withDigits`), or undefined if parsing lost none. */
export function spelled(event: RawStreamEvent, written: unknown): RawStreamEvent[] {
  if (!isRecord(written)) return [event];
  const { content_block: block, delta } = event;
  if (isRecord(block) && block["type"] === "tool_use" && isRecord(block["input"])) {
    const json = jsonAt(written["content_block"], "input");
    if (roundedInteger(json) === undefined) return [event];
    const piece = { type: "input_json_delta", partial_json: json };
    return [
      { ...event, content_block: { ...block, input: {} } },
      { type: "content_block_delta", index: event["index"], delta: piece },
    ];
  }
  if (isRecord(delta) && isRecord(delta["partial_json"]))
    return [{ ...event, delta: { ...delta, partial_json: jsonAt(written["delta"], "partial_json") } }];
  return [event];
}

function jsonAt(value: unknown, field: string): string {
  return JSON.stringify(isRecord(value) ? value[field] : undefined) ?? "";
}
