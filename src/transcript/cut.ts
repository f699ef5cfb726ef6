/** A place in a transcript: right after one of its messages, with what was recorded later and belongs before it. */
import type { Message, ToolResultBlock, UserMessage } from "../protocol/index.ts";
import { TranscriptError } from "./error.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { begins, eachLine } from "./lines.ts";
import { recordFrom } from "./parse.ts";
import { lineStart, type TranscriptRecord } from "./record.ts";

export interface Cut {
  /** Offset behind the line that holds the message, and behind the facts that follow it before anything else is said or done. */
  end: number;
  /** It is one of the messages that a boundary's line carries, and on no line of its own. */
  isInner: boolean;
  /** When it was recorded, ISO 8601. */
  time: string;
  /** Results of the calls that are open there, and of no others. */
  results: UserMessage[];
  /** Those calls that were begun, by what is recorded behind it. */
  started: ReadonlySet<string>;
  /** Messages before it that were taken back later. */
  retracted: ReadonlySet<string>;
}

export type CutPlace = Pick<Cut, "end" | "isInner" | "time">;

/** Where the message's line ends; queued input is known by the id it was queued under, too. Throws `not_found` where no such message was recorded. */
export function placeOf(fs: TranscriptFileSystem, descriptor: number, messageUuid: string): CutPlace {
  const wanted = Buffer.from(JSON.stringify(messageUuid));
  let place: CutPlace | undefined;
  eachLine(fs, descriptor, {}, ({ bytes, offset, length }) => {
    const end = offset + length + 1;
    if (place !== undefined) {
      // Such as what was read by then, which is written at the end of a turn.
      const next = place.isInner ? undefined : recordFrom(bytes);
      const isFollowing = next !== undefined && !("message" in next) && !isBeginning(next);
      if (isFollowing) place.end = end;
      return isFollowing;
    }
    const record = bytes?.includes(wanted) === true ? recordFrom(bytes) : undefined;
    if (record === undefined || !("message" in record)) return true;
    const isInner = hasInside(record.message, messageUuid);
    if (isInner || isCalled(record.message, messageUuid)) place = { end, isInner, time: record.timestamp };
    return true;
  });
  if (place !== undefined) return place;
  throw new TranscriptError("not_found", `The session has no message ${messageUuid.slice(0, 80)}.`);
}

function isBeginning(record: TranscriptRecord): boolean {
  return record.type === "run" && record.data.at === "begin";
}

function isCalled(message: Message, uuid: string): boolean {
  if (message.uuid === uuid) return true;
  if (message.type !== "attachment") return false;
  return message.attachment.kind === "queued_command" && message.attachment.sourceUuid === uuid;
}

function hasInside(message: Message, uuid: string): boolean {
  return message.type === "compact_boundary" && message.messages.some((inner) => inner.uuid === uuid);
}

const userStart = Buffer.from(lineStart("user"));
const startedStart = Buffer.from(lineStart("tool_started"));
const tombstoneStart = Buffer.from(lineStart("tombstone"));

/** What the file says from `end` on of the time before: which calls in `open` were begun, their results, and what was taken back. */
export function saidLater(
  fs: TranscriptFileSystem,
  descriptor: number,
  end: number,
  open: ReadonlySet<string>,
): Pick<Cut, "results" | "started" | "retracted"> {
  const missing = new Set(open);
  const results: UserMessage[] = [];
  const started = new Set<string>();
  const retracted = new Set<string>();
  eachLine(fs, descriptor, { from: end }, ({ bytes }) => {
    if (bytes === undefined) return;
    const isOfCall = missing.size > 0 && (begins(bytes, userStart) || begins(bytes, startedStart));
    const record = isOfCall || begins(bytes, tombstoneStart) ? recordFrom(bytes) : undefined;
    if (record?.type === "tool_started" && missing.has(record.data.toolUseId)) started.add(record.data.toolUseId);
    if (record === undefined || !("message" in record)) return;
    if (record.message.type === "tombstone") for (const target of record.message.targets) retracted.add(target);
    const answer = record.message.type === "user" ? answerTo(record.message, missing) : undefined;
    if (answer !== undefined) results.push(answer);
  });
  return { results, started, retracted };
}

/** The message with nothing but results of calls in `missing`, which are taken out of it; undefined where it has none. */
export function answerTo(message: UserMessage, missing: Set<string>): UserMessage | undefined {
  const content = message.content.filter(
    (block): block is ToolResultBlock => block.type === "tool_result" && missing.delete(block.tool_use_id),
  );
  if (content.length === 0) return undefined;
  if (content.length === message.content.length) return message;
  const only: UserMessage = { ...message, content };
  delete only.toolUseResult;
  return only;
}
