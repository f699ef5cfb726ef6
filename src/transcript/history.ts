/** What was said in a session, in the order of its file, message by message: for people and programs that read it, not for going on. */
import type { Message } from "../protocol/index.ts";
import { lineOffsets, recordAt } from "./boundary-search.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { eachLine } from "./lines.ts";
import { recordFrom } from "./parse.ts";
import { openToRead, startOfReading } from "./read.ts";
import { lineStart, type MessageRecord } from "./record.ts";

export interface HistoryOptions {
  /** What was summed up, too; else what the conversation consists of since, its summary first. */
  whole: boolean;
  fs?: TranscriptFileSystem;
}

/** What the line of a message says beside it. */
export type HistoryRecord = Omit<MessageRecord, "message">;

export interface HistoryItem {
  message: Message;
  record: HistoryRecord;
  /** It stands in a boundary, and nowhere else. */
  isInner: boolean;
}

const stepBytes = 1024 * 1024;

/**
 * Visits each message that was not taken back, until `visit` answers false. A boundary is visited itself, then those of its messages that have not
 * been. Lines that cannot be read are passed over. Throws `TranscriptError`: `not_found`, `not_regular`, `io`.
 */
export function eachMessage(path: string, options: HistoryOptions, visit: (item: HistoryItem) => boolean | void): void {
  for (const step of historySteps(path, options)) for (const item of step) if (visit(item) === false) return;
}

/** The same, about a megabyte of the file at a time. */
export function* historySteps(
  path: string,
  { whole, fs = nodeFileSystem }: HistoryOptions,
): Generator<HistoryItem[], void> {
  const descriptor = openToRead(fs, path);
  try {
    const size = fs.status(descriptor).size;
    const passed = new Set(takenBack(fs, descriptor, size));
    for (let from = whole ? 0 : startOfReading(fs, descriptor, size); from < size;) {
      const items: HistoryItem[] = [];
      let end = size;
      eachLine(fs, descriptor, { from, to: size }, ({ bytes, offset, length }) => {
        const record = recordFrom(bytes);
        if (record !== undefined && "message" in record) addItems(items, record, passed);
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

/** `passed`: uuids that are not to be shown, or were. */
function addItems(items: HistoryItem[], { message, ...record }: MessageRecord, passed: Set<string>): void {
  const inside = message.type === "compact_boundary" ? message.messages : [];
  for (const each of [message, ...inside]) {
    if (passed.has(each.uuid) || each.type === "tombstone") continue;
    passed.add(each.uuid);
    items.push({ message: each, record, isInner: each !== message });
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
