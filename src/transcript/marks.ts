/** Finds a session's newest title, tag and archive mark from the end of its file, without parsing what lies between. */
import { findLinesFromEnd, recordAt } from "./search-from-end.ts";
import { readRange } from "./file-io.ts";
import { startsWithBytes } from "./lines.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { clientMarkStarts, maxClientMarkBytes, type ClientMark } from "./line-format.ts";
import { parseRecord } from "./parse.ts";
import { applyFact, lineStart, type TranscriptRecord } from "./record.ts";
import type { Marks } from "./summary.ts";
import { lastLineStart } from "./tail.ts";

const markKinds = ["title", "tag", "archived"] as const;

const recordStart = Buffer.from('{"v":');
const lineFeed = 10;

/** Returns the newest of each of `kinds`, also of those that a client added. A boundary carries the earlier ones. */
export function newestMarks(
  fs: TranscriptFileSystem,
  descriptor: number,
  size: number,
  kinds: readonly (keyof Marks)[] = markKinds,
): Marks {
  const marks: Marks = {};
  const starts = [...[...kinds, "compact_boundary" as const].map(lineStart), ...clientMarkStarts];
  for (const offset of findLinesFromEnd(fs, descriptor, size, starts)) {
    const clientMarks = clientMarksAt(fs, descriptor, offset, size);
    const record = clientMarks === undefined ? recordAt(fs, descriptor, offset, size) : undefined;
    if (clientMarks === undefined && record === undefined) continue;
    const found: Marks = record === undefined ? (clientMarks ?? {}) : marksOf(record);
    for (const kind of kinds)
      if (marks[kind] === undefined && found[kind] !== undefined) setMark(marks, kind, found[kind]);
    const isWhole = kinds.every((kind) => marks[kind] !== undefined);
    if (isWhole || (record !== undefined && "message" in record && record.snapshot !== undefined)) break;
  }
  return marks;
}

function marksOf(record: TranscriptRecord): Marks {
  return "message" in record ? (record.snapshot ?? {}) : applyFact({}, record.type, record.data);
}

/** The marks of a line that is not the session's own; undefined for a record. */
function clientMarksAt(
  fs: TranscriptFileSystem,
  descriptor: number,
  offset: number,
  size: number,
): ClientMark | undefined {
  const start = readRange(fs, descriptor, offset, Math.min(size, offset + recordStart.length));
  if (startsWithBytes(start, recordStart)) return undefined;
  const bytes = readRange(fs, descriptor, offset, Math.min(size, offset + maxClientMarkBytes));
  const end = bytes.indexOf(lineFeed);
  const parsed = parseRecord(end < 0 ? bytes : bytes.subarray(0, end));
  return (!parsed.ok && parsed.unknown === true ? parsed.mark : undefined) ?? {};
}

function setMark<K extends keyof Marks>(marks: Marks, kind: K, value: Marks[K]): void {
  marks[kind] = value;
}

const markStarts = markKinds.map((kind) => Buffer.from(lineStart(kind)));
const longestStart = Math.max(...markStarts.map(({ length }) => length));

export function isMark(line: Buffer): boolean {
  return markStarts.some((start) => startsWithBytes(line, start));
}

/** How many lines are looked at from the end: a damaged file may have any number of lines that nobody can read. */
const maxLinesLookedAt = 200;

/**
 * When the last message was recorded, ms since the epoch. Later marks do not count, nor do lines that cannot be read, such as one that was
 * being written when the process died. Undefined if that cannot be determined.
 */
export function findLastMessageTime(fs: TranscriptFileSystem, descriptor: number, size: number): number | undefined {
  for (let end = size - 1, lines = 0; end > 0 && lines < maxLinesLookedAt; lines++) {
    const start = lastLineStart(fs, descriptor, end);
    const isMarkLine = isMark(readRange(fs, descriptor, start, Math.min(start + longestStart, size)));
    const at = isMarkLine ? undefined : messageTimeOf(recordAt(fs, descriptor, start, size));
    if (at !== undefined) return at;
    end = start - 1;
  }
  return undefined;
}

/** ms since the epoch; undefined for a mark. */
export function messageTimeOf(record: TranscriptRecord | undefined): number | undefined {
  if (record === undefined || isMarkRecord(record)) return undefined;
  const at = Date.parse(record.timestamp);
  return Number.isNaN(at) ? undefined : at;
}

export function isMarkRecord({ type }: TranscriptRecord): boolean {
  return (markKinds as readonly string[]).includes(type);
}
