/** What was said in a session, in the order of its file, message by message: for people and programs that read it, not for going on. */
import type { Message } from "../protocol/index.ts";
import { lineOffsets } from "./boundary-search.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { eachLine } from "./lines.ts";
import { recordAt } from "./marks.ts";
import { parseRecord } from "./parse.ts";
import { openToRead, startOfReading } from "./read.ts";
import { lineStart, maximumLineBytes, type MessageRecord } from "./record.ts";

export interface HistoryOptions {
  /** What was summed up, too; else what the conversation consists of since, its summary first. */
  whole: boolean;
  fs?: TranscriptFileSystem;
}

/** What the line of a message says beside it. */
export type HistoryRecord = Omit<MessageRecord, "message" | "snapshot">;

/**
 * Visits each message that was not taken back, until `visit` answers false. A boundary is visited itself, then those of its messages that have not
 * been. Lines that cannot be read are passed over. Throws `TranscriptError`: `not_found`, `not_regular`, `io`.
 */
export function eachMessage(
  path: string,
  { whole, fs = nodeFileSystem }: HistoryOptions,
  visit: (message: Message, record: HistoryRecord) => boolean | void,
): void {
  const descriptor = openToRead(fs, path);
  try {
    const size = fs.status(descriptor).size;
    const retracted = takenBack(fs, descriptor, size);
    const seen = new Set<string>();
    const from = whole ? 0 : startOfReading(fs, descriptor, size);
    const show = (message: Message, record: HistoryRecord): boolean => {
      if (seen.has(message.uuid) || retracted.has(message.uuid) || message.type === "tombstone") return true;
      seen.add(message.uuid);
      return visit(message, record) !== false;
    };
    eachLine(fs, descriptor, { from, to: size, maximumBytes: maximumLineBytes }, ({ bytes }) => {
      const parsed = bytes === undefined || bytes.length === 0 ? undefined : parseRecord(bytes);
      if (parsed?.ok !== true || !("message" in parsed.record)) return true;
      const { message, snapshot: _, ...record } = parsed.record;
      const goesOn = show(message, record);
      if (message.type !== "compact_boundary") return goesOn;
      return goesOn && message.messages.every((inner) => show(inner, record));
    });
  } finally {
    fs.close(descriptor);
  }
}

/** Answers that were replaced by another try. */
function takenBack(fs: TranscriptFileSystem, descriptor: number, size: number): Set<string> {
  const targets = new Set<string>();
  for (const offset of lineOffsets(fs, descriptor, size, [lineStart("tombstone")])) {
    const record = recordAt(fs, descriptor, offset, size);
    if (record === undefined || !("message" in record) || record.message.type !== "tombstone") continue;
    for (const target of record.message.targets) targets.add(target);
  }
  return targets;
}
