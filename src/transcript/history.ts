/** The messages of a session in file order, for people and programs that read them, not for resuming. */
import type { Message } from "../protocol/index.ts";
import { findLinesFromEnd, recordAt } from "./search-from-end.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { eachLine } from "./lines.ts";
import { tryParseRecord } from "./parse.ts";
import { openForReading, findReadStart } from "./read.ts";
import type { MessageRecord } from "./record.ts";
import { retractedUuids, tombstoneStarts } from "./tombstones.ts";

export interface HistoryOptions {
  /** Include messages that were summarised; otherwise only the current conversation, its summary first. */
  includeCompacted: boolean;
  fs?: TranscriptFileSystem;
}

/** The envelope of a message's line. */
export type HistoryRecord = Omit<MessageRecord, "message">;

export interface HistoryItem {
  message: Message;
  record: HistoryRecord;
  /** The message exists only inside a boundary. */
  isInner: boolean;
}

const stepBytes = 1024 * 1024;

/**
 * Visits each message that was not retracted, until `visit` returns false. A boundary is visited first, then those of its messages that
 * were not visited before. Unreadable lines are ignored. Throws `TranscriptError`: `not_found`, `not_regular`, `io`.
 */
export function eachMessage(path: string, options: HistoryOptions, visit: (item: HistoryItem) => boolean | void): void {
  for (const step of historySteps(path, options)) for (const item of step) if (visit(item) === false) return;
}

/** Like `eachMessage`, but yields about a megabyte of the file at a time. */
export function* historySteps(
  path: string,
  { includeCompacted, fs = nodeFileSystem }: HistoryOptions,
): Generator<HistoryItem[], void> {
  const descriptor = openForReading(fs, path);
  try {
    const size = fs.status(descriptor).size;
    const hiddenUuids = readRetractedUuids(fs, descriptor, size);
    for (let from = includeCompacted ? 0 : findReadStart(fs, descriptor, size); from < size;) {
      const items: HistoryItem[] = [];
      let end = size;
      eachLine(fs, descriptor, { from, to: size }, ({ bytes, offset, length }) => {
        const record = tryParseRecord(bytes);
        if (record !== undefined && "message" in record) addItems(items, record, hiddenUuids);
        if (offset + length - from < stepBytes) return true;
        end = offset + length + 1;
        return false;
      });
      yield items;
      from = end;
    }
  } finally {
    fs.close(descriptor);
  }
}

/** `hiddenUuids`: uuids that must not be shown, or already were. */
function addItems(items: HistoryItem[], { message, ...record }: MessageRecord, hiddenUuids: Set<string>): void {
  const inside = message.type === "compact_boundary" ? message.messages : [];
  for (const each of [message, ...inside]) {
    if (hiddenUuids.has(each.uuid) || each.type === "tombstone") continue;
    hiddenUuids.add(each.uuid);
    items.push({ message: each, record, isInner: each !== message });
  }
}

/** The uuids of answers that were replaced by a retry. */
function readRetractedUuids(fs: TranscriptFileSystem, descriptor: number, size: number): Set<string> {
  const targets = new Set<string>();
  for (const offset of findLinesFromEnd(fs, descriptor, size, tombstoneStarts)) {
    for (const target of retractedUuids(recordAt(fs, descriptor, offset, size))) targets.add(target);
  }
  return targets;
}
