/** A place in a transcript: right after one of its messages, with what was recorded later and belongs before it. */
import type { ToolResultBlock, UserMessage } from "../protocol/index.ts";
import { TranscriptError } from "./error.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { eachLine } from "./lines.ts";
import { parseRecord } from "./parse.ts";
import { lineStart, maximumLineBytes, type TranscriptRecord } from "./record.ts";

export interface Cut {
  /** Offset behind the line that holds the message. */
  end: number;
  /** It is one of the messages that a boundary's line carries, and on no line of its own. */
  isInner: boolean;
  /** Results of the calls that are open there, and of no others. */
  results: UserMessage[];
  /** Messages before it that were taken back later. */
  retracted: ReadonlySet<string>;
}

/** Where the message's line ends. Throws `not_found` where no message of that uuid was recorded. */
export function placeOf(
  fs: TranscriptFileSystem,
  descriptor: number,
  messageUuid: string,
): Pick<Cut, "end" | "isInner"> {
  const wanted = Buffer.from(JSON.stringify(messageUuid));
  let place: Pick<Cut, "end" | "isInner"> | undefined;
  eachLine(fs, descriptor, whole(fs, descriptor), ({ bytes, offset, length }) => {
    if (bytes === undefined || !bytes.includes(wanted)) return true;
    const parsed = parseRecord(bytes);
    if (!parsed.ok || !("message" in parsed.record)) return true;
    const { message } = parsed.record;
    const isInner = message.type === "compact_boundary" && message.messages.some((inner) => inner.uuid === messageUuid);
    if (message.uuid === messageUuid || isInner) place = { end: offset + length + 1, isInner };
    return place === undefined;
  });
  if (place !== undefined) return place;
  throw new TranscriptError("not_found", `The session has no message ${messageUuid.slice(0, 80)}.`);
}

const userStart = Buffer.from(lineStart("user"));
const tombstoneStart = Buffer.from(lineStart("tombstone"));

/** What the file says from `end` on of the time before: results of the calls in `open`, and what was taken back. */
export function saidLater(
  fs: TranscriptFileSystem,
  descriptor: number,
  end: number,
  open: ReadonlySet<string>,
): Pick<Cut, "results" | "retracted"> {
  const missing = new Set(open);
  const results: UserMessage[] = [];
  const retracted = new Set<string>();
  eachLine(fs, descriptor, { ...whole(fs, descriptor), from: end }, ({ bytes }) => {
    if (bytes === undefined) return;
    const isWanted = begins(bytes, tombstoneStart) || (missing.size > 0 && begins(bytes, userStart));
    const record = isWanted ? recordIn(bytes) : undefined;
    if (record === undefined || !("message" in record)) return;
    if (record.message.type === "tombstone") for (const target of record.message.targets) retracted.add(target);
    const answer = record.message.type === "user" ? answerTo(record.message, missing) : undefined;
    if (answer !== undefined) results.push(answer);
  });
  return { results, retracted };
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

function recordIn(bytes: Buffer): TranscriptRecord | undefined {
  const parsed = parseRecord(bytes);
  return parsed.ok ? parsed.record : undefined;
}

function begins(line: Buffer, start: Buffer): boolean {
  return line.length >= start.length && line.compare(start, 0, start.length, 0, start.length) === 0;
}

function whole(fs: TranscriptFileSystem, descriptor: number) {
  return { from: 0, to: fs.status(descriptor).size, maximumBytes: maximumLineBytes };
}
