/** Lines that take messages back, found by their beginnings: few lines are parsed. */
import { startsWithBytes } from "./lines.ts";
import { lineStart, type TranscriptRecord } from "./record.ts";

/** As older versions wrote them, and as they are written now: in the transcript of a session, and of an agent. */
export const tombstoneStarts: readonly string[] = [
  lineStart("tombstone"),
  ...["system", "attachment"].map((type) => `{"v":1,"type":"${type}","subtype":"tombstone",`),
];

const starts = tombstoneStarts.map((start) => Buffer.from(start));

export function isTombstone(line: Buffer): boolean {
  return starts.some((start) => startsWithBytes(line, start));
}

/** The uuids of messages that a record retracts. */
export function retractedUuids(record: TranscriptRecord | undefined): readonly string[] {
  if (record === undefined || !("message" in record) || record.message.type !== "tombstone") return [];
  return record.message.targets;
}
