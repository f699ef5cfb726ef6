/** A copy of a session under a new id: same conversation, its own records. */
import type { CountedTokens, Message } from "../protocol/index.ts";
import { dirname } from "node:path";
import { isText, isThing } from "./check.ts";
import { copyHistory } from "./copy-history.ts";
import { reasonOf, TranscriptError } from "./error.ts";
import { writeAll } from "./file-io.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { eachLine } from "./lines.ts";
import { parseRecord } from "./parse.ts";
import { copyingPath, transcriptPath } from "./paths.ts";
import { openToRead } from "./read.ts";
import { maximumLineBytes, type FactRecord, type MessageRecord, type TranscriptRecord } from "./record.ts";

export interface ForkOptions {
  /** The folder of the copy. Default: that of the original. */
  folder?: string;
  clock: { now(): number };
  fs?: TranscriptFileSystem;
}

export interface Forked {
  path: string;
  records: number;
  /** Lines of the original that could not be read and are not in the copy. */
  skipped: number;
}

const batchBytes = 1024 * 1024;

/**
 * Copies every readable record of `path` with uuids of its own; the chain, tombstones' targets and the messages inside
 * boundaries follow; so do the contents kept of changed files. The original is only read, and may be in use. Throws `TranscriptError`: `invalid_id`, `not_found`, `exists`, `io`.
 */
export function forkSession(path: string, newId: string, options: ForkOptions): Forked {
  const fs = options.fs ?? nodeFileSystem;
  const target = transcriptPath(options.folder ?? dirname(path), newId);
  const source = openToRead(fs, path);
  try {
    fs.makeFolder(dirname(target));
    if (fs.statusOf(target) !== undefined)
      throw new TranscriptError("exists", `The session ${newId} exists already. Choose another id.`);
    const draft = copyingPath(target);
    fs.remove(draft);
    const descriptor = fs.open(draft, "create");
    let done = false;
    try {
      const counts = copyRecords(fs, { source, target: descriptor }, newId.toLowerCase(), options.clock);
      copyHistory(fs, path, target);
      // A copy cut short by a death must not be found as the newest session.
      fs.rename(draft, target);
      done = true;
      return { path: target, ...counts };
    } finally {
      fs.close(descriptor);
      if (!done) fs.remove(draft);
    }
  } catch (error) {
    if (error instanceof TranscriptError) throw error;
    throw new TranscriptError("io", `The session could not be copied to ${target}: ${reasonOf(error)}.`, {
      cause: error,
    });
  } finally {
    fs.close(source);
  }
}

function copyRecords(
  fs: TranscriptFileSystem,
  files: { source: number; target: number },
  newId: string,
  clock: { now(): number },
) {
  const toNew = uuidMapping(newId);
  const leaf = { uuid: null as string | null, sessionId: "" };
  let records = 0;
  let skipped = 0;
  let batch: string[] = [];
  let batched = 0;
  const flush = () => {
    if (batched > 0) writeAll(fs, files.target, Buffer.from(batch.join("")));
    batch = [];
    batched = 0;
  };
  const origin = lastMessage(fs, files.source);
  eachLine(fs, files.source, { from: 0, to: fs.status(files.source).size, maximumBytes: maximumLineBytes }, (line) => {
    const parsed = line.bytes === undefined ? undefined : parseRecord(line.bytes);
    if (line.length === 0) return;
    if (parsed?.ok !== true) {
      skipped++;
      return;
    }
    const copy = remapped(parsed.record, { seq: records, parentUuid: leaf.uuid, sessionId: newId }, toNew);
    if (copy.type === "session")
      copy.data = { ...copy.data, createdAt: new Date(clock.now()).toISOString(), forkedFrom: origin };
    if ("message" in copy) leaf.uuid = copy.uuid;
    const text = `${JSON.stringify(lineOrder(copy))}\n`;
    batch.push(text);
    batched += text.length;
    records++;
    if (batched >= batchBytes) flush();
  });
  flush();
  return { records, skipped };
}

/** Session and last message of the original, for `forkedFrom`. */
function lastMessage(fs: TranscriptFileSystem, source: number): { sessionId: string; uuid: string | null } {
  const last: { sessionId: string; uuid: string | null } = { sessionId: "", uuid: null };
  eachLine(fs, source, { from: 0, to: fs.status(source).size, maximumBytes: maximumLineBytes }, (line) => {
    const parsed = line.bytes === undefined ? undefined : parseRecord(line.bytes);
    if (parsed?.ok !== true) return;
    last.sessionId = parsed.record.sessionId;
    if ("message" in parsed.record) last.uuid = parsed.record.uuid;
  });
  return last;
}

function remapped(
  record: TranscriptRecord,
  at: { seq: number; parentUuid: string | null; sessionId: string },
  toNew: (uuid: string) => string,
): TranscriptRecord {
  const base = { ...record, ...at, uuid: toNew(record.uuid) };
  if (record.type === "file_change")
    return { ...base, data: { ...record.data, messageUuid: toNew(record.data.messageUuid) } } as FactRecord;
  if (record.type === "staged_collapses") return { ...base, data: remappedSpans(record.data, toNew) } as FactRecord;
  if (!("message" in record)) return base as FactRecord;
  const message = remappedMessage(record.message, toNew);
  const staged = record.snapshot?.stagedCollapses;
  if (staged === undefined) return { ...base, message } as MessageRecord;
  const snapshot = { ...record.snapshot, stagedCollapses: remappedSpans(staged, toNew) };
  return { ...base, message, snapshot } as MessageRecord;
}

function remappedSpans(spans: readonly unknown[], toNew: (uuid: string) => string): unknown[] {
  return spans.map((span) => {
    if (!isThing(span) || !isText(span["from"]) || !isText(span["to"])) return span;
    return { ...span, from: toNew(span["from"]), to: toNew(span["to"]) };
  });
}

function remappedMessage(message: Message, toNew: (uuid: string) => string): Message {
  const uuid = toNew(message.uuid);
  if (message.type === "tombstone") return { ...message, uuid, targets: message.targets.map(toNew) };
  if (message.type === "snip_boundary") {
    const { fromUuid, toUuid } = message;
    return { ...message, uuid, ...remappedCount(message, toNew), fromUuid: toNew(fromUuid), toUuid: toNew(toUuid) };
  }
  if (message.type === "results_cleared") return { ...message, uuid, ...remappedCount(message, toNew) };
  if (message.type === "collapse_commit") {
    const messages = message.messages.map((inner) => ({ ...inner, uuid: toNew(inner.uuid) }));
    return { ...message, uuid, ...remappedCount(message, toNew), targets: message.targets.map(toNew), messages };
  }
  if (message.type !== "compact_boundary") return { ...message, uuid };
  const lastSummarizedUuid = message.lastSummarizedUuid === null ? null : toNew(message.lastSummarizedUuid);
  return {
    ...message,
    uuid,
    lastSummarizedUuid,
    messages: message.messages.map((inner) => remappedMessage(inner, toNew)),
  };
}

function remappedCount({ counted }: { counted: CountedTokens | null }, toNew: (uuid: string) => string) {
  return { counted: counted === null ? null : { ...counted, responseEnd: toNew(counted.responseEnd) } };
}

/** `v` and `type` first, as the search for boundaries wants it. */
function lineOrder(record: TranscriptRecord): object {
  const { v, type, ...rest } = record;
  return { v, type, ...rest };
}

/** Derived from the new session and the old uuid, so that no table of all uuids is kept. Laid out as RFC 9562 version 8. */
function uuidMapping(newId: string): (uuid: string) => string {
  const crypto = process.getBuiltinModule("node:crypto");
  return (uuid) => {
    const hash = crypto.hash("sha256", `${newId}:${uuid}`, "hex");
    const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 3) | 8).toString(16);
    return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  };
}
