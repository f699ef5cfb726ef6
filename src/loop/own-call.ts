/** A call of the model in the form the conversation keeps it. */
import { sendableCallId, toolNameForm } from "../lib/call-id.ts";
import { isRecord } from "../lib/is-record.ts";
import type { ToolUseBlock } from "../protocol/message.ts";
import type { RawStreamEvent } from "../protocol/stream-event.ts";
import type { Run } from "./run.ts";

/** The ids of calls whose start was reported to clients. */
export interface ToldIds {
  /** By index and given id, the calls not complete yet, in order: a call may be known to be complete only after others have begun. */
  readonly coming: Map<string, string[]>;
  /** By index, the call that was begun there last and has not ended. */
  readonly open: Map<string, { given: unknown; id: string }>;
}

export function newToldIds(): ToldIds {
  return { coming: new Map(), open: new Map() };
}

/** Used if no starts are reported. Shared by all responses: one per response would be kept for as long as its answer is pending. */
export const noToldIds: ToldIds = newToldIds();

/** Gives the start of a call the id it will have in its message: clients that show a call from its start know it by that id. */
export function ownStart(run: Run, told: ToldIds, event: RawStreamEvent): RawStreamEvent {
  const { type, content_block: block, index = 0 } = event;
  const place = String(index);
  if (type !== "content_block_start" || !isRecord(block) || block["type"] !== "tool_use") {
    if (type === "content_block_start" || type === "content_block_stop") told.open.delete(place);
    return event;
  }
  const id = startedId(run, told, place, block["id"]);
  return id === block["id"] ? event : { ...event, content_block: { ...block, id } };
}

/** A start that is reported twice is one call. */
function startedId(run: Run, { coming, open }: ToldIds, place: string, given: unknown): string {
  const before = open.get(place);
  if (before !== undefined && given !== undefined && before.given === given && !run.callIds.has(before.id))
    return before.id;
  const name = typeof given === "string" ? given : "";
  const id = freshId(run, name, [...coming.values()].flat());
  coming.set(`${place} ${name}`, [...(coming.get(`${place} ${name}`) ?? []), id]);
  open.set(place, { given, id });
  return id;
}

function freshId(run: Run, given: string, others: readonly string[] = []): string {
  const id = sendableCallId(given);
  const isFresh = given !== "" && !run.callIds.has(id) && !others.includes(id);
  return isFresh ? id : `toolu_${run.ports.ids.uuid().replaceAll("-", "")}`;
}

/** Replaces an id used before, and an id, name or input the API would not take back, before anything depends on it. */
export function ownCall(
  run: Run,
  block: ToolUseBlock,
  event: { index: number; invalidInput?: string },
  { coming }: ToldIds,
): { block: ToolUseBlock; invalidInput?: string } {
  // A call that began without an id has been given one by now.
  const known = coming.get(`${event.index} ${block.id}`)?.shift() ?? coming.get(`${event.index} `)?.shift();
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
