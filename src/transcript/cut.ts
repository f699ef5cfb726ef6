/** A place in a transcript: right after one of its messages, with later records that belong before it. */
import type { Message, ToolResultBlock, UserMessage } from "../protocol/index.ts";
import { TranscriptError } from "./error.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { startsWithBytes, eachLine } from "./lines.ts";
import { tryParseRecord } from "./parse.ts";
import { lineStart, type TranscriptRecord } from "./record.ts";
import { isTombstone } from "./tombstones.ts";

export interface Cut {
  /** Offset after the line of the message and the facts that directly follow it. */
  end: number;
  /** The message has no line of its own: it is one of those that a boundary's line carries. */
  isInner: boolean;
  /** When the line was recorded, ISO 8601. */
  time: string;
  /** Results of the calls that are open at that place, and of no others. */
  results: UserMessage[];
  /** Which of those calls were started, according to later records. */
  startedCalls: ReadonlySet<string>;
  /** Messages before the place that were retracted later. */
  retracted: ReadonlySet<string>;
}

export type CutPlace = Pick<Cut, "end" | "isInner" | "time">;

/** Finds the end of a message's line. Queued input is also found by the id it was queued under. Throws `not_found` if there is none. */
export function findCutPlace(fs: TranscriptFileSystem, descriptor: number, messageUuid: string): CutPlace {
  const wanted = Buffer.from(JSON.stringify(messageUuid));
  let place: CutPlace | undefined;
  eachLine(fs, descriptor, {}, ({ bytes, offset, length }) => {
    const end = offset + length + 1;
    if (place !== undefined) {
      // Facts such as the read state, which is written at the end of a turn.
      const next = place.isInner ? undefined : tryParseRecord(bytes);
      const isFollowing = next !== undefined && !("message" in next) && !isRunBegin(next);
      if (isFollowing) place.end = end;
      return isFollowing;
    }
    const record = bytes?.includes(wanted) === true ? tryParseRecord(bytes) : undefined;
    if (record === undefined || !("message" in record)) return true;
    const isInner = containsMessage(record.message, messageUuid);
    if (isInner || hasUuid(record.message, messageUuid)) place = { end, isInner, time: record.timestamp };
    return true;
  });
  if (place !== undefined) return place;
  throw new TranscriptError("not_found", `The session has no message ${messageUuid.slice(0, 80)}.`);
}

function isRunBegin(record: TranscriptRecord): boolean {
  return record.type === "run" && record.data.at === "begin";
}

function hasUuid(message: Message, uuid: string): boolean {
  if (message.uuid === uuid) return true;
  if (message.type !== "attachment") return false;
  return message.attachment.kind === "queued_command" && message.attachment.sourceUuid === uuid;
}

function containsMessage(message: Message, uuid: string): boolean {
  return message.type === "compact_boundary" && message.messages.some((inner) => inner.uuid === uuid);
}

const userStart = Buffer.from(lineStart("user"));
const startedStart = Buffer.from(lineStart("tool_started"));

/** Collects what the file records after `end` about the time before: calls in `open` that were started, their results, and retractions. */
export function collectLaterRecords(
  fs: TranscriptFileSystem,
  descriptor: number,
  end: number,
  open: ReadonlySet<string>,
): Pick<Cut, "results" | "startedCalls" | "retracted"> {
  const missing = new Set(open);
  const results: UserMessage[] = [];
  const startedCalls = new Set<string>();
  const retracted = new Set<string>();
  eachLine(fs, descriptor, { from: end }, ({ bytes }) => {
    if (bytes === undefined) return;
    const isAboutCall = missing.size > 0 && (startsWithBytes(bytes, userStart) || startsWithBytes(bytes, startedStart));
    const record = isAboutCall || isTombstone(bytes) ? tryParseRecord(bytes) : undefined;
    if (record?.type === "tool_started" && missing.has(record.data.toolUseId)) startedCalls.add(record.data.toolUseId);
    if (record === undefined || !("message" in record)) return;
    if (record.message.type === "tombstone") for (const target of record.message.targets) retracted.add(target);
    const answer = record.message.type === "user" ? takeResultsFor(record.message, missing) : undefined;
    if (answer !== undefined) results.push(answer);
  });
  return { results, startedCalls, retracted };
}

/** Returns the message with only its results of calls in `missingIds`, and removes those calls from it; undefined if there are none. */
export function takeResultsFor(message: UserMessage, missingIds: Set<string>): UserMessage | undefined {
  const content = message.content.filter(
    (block): block is ToolResultBlock => block.type === "tool_result" && missingIds.delete(block.tool_use_id),
  );
  if (content.length === 0) return undefined;
  if (content.length === message.content.length) return message;
  const only: UserMessage = { ...message, content };
  delete only.toolUseResult;
  return only;
}
