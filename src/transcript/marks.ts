/** Finds a session's newest title, tag and archive mark from the end of its file, without parsing what lies between. */
import { findLinesFromEnd, recordAt } from "./search-from-end.ts";
import { readRange } from "./file-io.ts";
import { startsWithBytes } from "./lines.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { applyFact, lineStart } from "./record.ts";
import type { Marks } from "./summary.ts";
import { lastLineStart } from "./tail.ts";

const markKinds = ["title", "tag", "archived"] as const;

/** Returns the newest of each of `kinds`. A boundary carries the earlier ones. */
export function newestMarks(
  fs: TranscriptFileSystem,
  descriptor: number,
  size: number,
  kinds: readonly (keyof Marks)[] = markKinds,
): Marks {
  const marks: Marks = {};
  const starts = [...kinds, "compact_boundary" as const].map(lineStart);
  for (const offset of findLinesFromEnd(fs, descriptor, size, starts)) {
    const record = recordAt(fs, descriptor, offset, size);
    if (record === undefined) continue;
    const recordMarks: Marks = "message" in record ? (record.snapshot ?? {}) : applyFact({}, record.type, record.data);
    for (const kind of kinds)
      if (marks[kind] === undefined && recordMarks[kind] !== undefined) setMark(marks, kind, recordMarks[kind]);
    const isWhole = kinds.every((kind) => marks[kind] !== undefined);
    if (isWhole || ("message" in record && record.snapshot !== undefined)) break;
  }
  return marks;
}

function setMark<K extends keyof Marks>(marks: Marks, kind: K, value: Marks[K]): void {
  marks[kind] = value;
}

const markStarts = markKinds.map((kind) => Buffer.from(lineStart(kind)));
const longestStart = Math.max(...markStarts.map(({ length }) => length));

export function isMark(line: Buffer): boolean {
  return markStarts.some((start) => startsWithBytes(line, start));
}

/** When the last message was recorded, ms since the epoch; later marks do not count. Undefined if that cannot be determined. */
export function findLastMessageTime(fs: TranscriptFileSystem, descriptor: number, size: number): number | undefined {
  for (let end = size - 1; end > 0;) {
    const start = lastLineStart(fs, descriptor, end);
    if (!isMark(readRange(fs, descriptor, start, Math.min(start + longestStart, size)))) {
      const at = Date.parse(recordAt(fs, descriptor, start, size)?.timestamp ?? "");
      return Number.isNaN(at) ? undefined : at;
    }
    end = start - 1;
  }
  return undefined;
}
