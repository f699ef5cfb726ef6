/** A call of the model in the form the conversation keeps it. */
import { sendableCallId, toolNamePattern } from "../lib/call-id.ts";
import { isRecord } from "../lib/is-record.ts";
import type { ToolUseBlock } from "../protocol/message.ts";
import type { RawStreamEvent } from "../protocol/stream-event.ts";
import type { Run } from "./run.ts";

/** The ids of calls whose start was reported to clients. */
export interface ReportedIds {
  /** By index and received id, the calls not complete yet, in order: a call may be known to be complete only after others have begun. */
  readonly incomplete: Map<string, string[]>;
  /** By index, the call that was begun there last and has not ended. */
  readonly open: Map<string, { wireId: unknown; id: string }>;
}

export function newReportedIds(): ReportedIds {
  return { incomplete: new Map(), open: new Map() };
}

/** Used if no starts are reported. Shared by all responses: one per response would be kept for as long as its answer is pending. */
export const noReportedIds: ReportedIds = newReportedIds();

/** Gives the start of a call the id it will have in its message: clients that show a call from its start know it by that id. */
export function withReportedId(run: Run, reportedIds: ReportedIds, event: RawStreamEvent): RawStreamEvent {
  const { type, content_block: block, index = 0 } = event;
  const place = String(index);
  if (type !== "content_block_start" || !isRecord(block) || block["type"] !== "tool_use") {
    if (type === "content_block_start" || type === "content_block_stop") reportedIds.open.delete(place);
    return event;
  }
  const id = idForStart(run, reportedIds, place, block["id"]);
  return id === block["id"] ? event : { ...event, content_block: { ...block, id } };
}

/** A start that is reported twice is one call. */
function idForStart(run: Run, { incomplete, open }: ReportedIds, place: string, receivedId: unknown): string {
  const before = open.get(place);
  if (
    before !== undefined &&
    receivedId !== undefined &&
    before.wireId === receivedId &&
    !run.memory.callIds.has(before.id)
  )
    return before.id;
  const name = typeof receivedId === "string" ? receivedId : "";
  const id = uniqueCallId(run, name, [...incomplete.values()].flat());
  incomplete.set(`${place} ${name}`, [...(incomplete.get(`${place} ${name}`) ?? []), id]);
  open.set(place, { wireId: receivedId, id });
  return id;
}

function uniqueCallId(run: Run, receivedId: string, otherIds: readonly string[] = []): string {
  const id = sendableCallId(receivedId);
  const isFresh = receivedId !== "" && !run.memory.callIds.has(id) && !otherIds.includes(id);
  return isFresh ? id : `toolu_${run.ports.ids.uuid().replaceAll("-", "")}`;
}

/** Replaces an id used before, and an id, name or input the API would not take back, before anything depends on it. */
export function sendableCall(
  run: Run,
  block: ToolUseBlock,
  event: { index: number; invalidInput?: string },
  { incomplete }: ReportedIds,
): { block: ToolUseBlock; invalidInput?: string } {
  // A call that began without an id has been given one by now.
  const known = incomplete.get(`${event.index} ${block.id}`)?.shift() ?? incomplete.get(`${event.index} `)?.shift();
  const id = known === undefined || run.memory.callIds.has(known) ? uniqueCallId(run, block.id) : known;
  run.memory.callIds.add(id);
  const name = toolNamePattern.test(block.name)
    ? block.name
    : block.name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
  const isObject = isRecord(block.input);
  const invalidInput = event.invalidInput ?? (isObject ? undefined : JSON.stringify(block.input));
  const sendable =
    id === block.id && name === block.name && isObject
      ? block
      : { ...block, id, name, input: isObject ? block.input : {} };
  return invalidInput === undefined ? { block: sendable } : { block: sendable, invalidInput };
}
