/** A call of the model as it goes into the conversation. */
import { sendableCallId, toolNameForm } from "../lib/call-id.ts";
import { isRecord } from "../lib/is-record.ts";
import type { ToolUseBlock } from "../protocol/message.ts";
import type { RawStreamEvent } from "../protocol/stream-event.ts";
import type { Run } from "./run.ts";

/** By place and given id, the ids of calls whose start was told. */
export type ToldIds = Map<string, string>;

/** Clients that show a call from its start on know it by the id of its message. */
export function ownStart(run: Run, told: ToldIds, event: RawStreamEvent): RawStreamEvent {
  const { content_block: block, index = 0 } = event;
  if (event.type !== "content_block_start" || !isRecord(block) || block["type"] !== "tool_use") return event;
  const given = typeof block["id"] === "string" ? block["id"] : "";
  const place = `${String(index)} ${given}`;
  const known = told.get(place);
  const id = known === undefined || run.callIds.has(known) ? freshId(run, given, [...told.values()]) : known;
  told.set(place, id);
  return id === given ? event : { ...event, content_block: { ...block, id } };
}

function freshId(run: Run, given: string, others: readonly string[] = []): string {
  const id = sendableCallId(given);
  const isFresh = given !== "" && !run.callIds.has(id) && !others.includes(id);
  return isFresh ? id : `toolu_${run.ports.ids.uuid().replaceAll("-", "")}`;
}

/** An id used before, and an id, name or input the API would not take back, is replaced before anything depends on it. */
export function ownCall(
  run: Run,
  block: ToolUseBlock,
  event: { index: number; invalidInput?: string },
  told: ToldIds,
): { block: ToolUseBlock; invalidInput?: string } {
  // One that was begun without an id has been given one since.
  const known = told.get(`${event.index} ${block.id}`) ?? told.get(`${event.index} `);
  const id = known === undefined || run.callIds.has(known) ? freshId(run, block.id) : known;
  run.callIds.add(id);
  const name = toolNameForm.test(block.name)
    ? block.name
    : block.name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
  const isObject = isRecord(block.input);
  const invalidInput = event.invalidInput ?? (isObject ? undefined : JSON.stringify(block.input));
  const own =
    id === block.id && name === block.name && isObject
      ? block
      : { ...block, id, name, input: isObject ? block.input : {} };
  return invalidInput === undefined ? { block: own } : { block: own, invalidInput };
}
