/** Adds a fact, such as a title or a tag, to a session from outside. */
import { TranscriptError } from "./error.ts";
import { readRange } from "./file-io.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { acquireLock } from "./lock.ts";
import { parseRecord } from "./parse.ts";
import { nodeProcesses, type ProcessTable } from "./process-table.ts";
import { openForReading, toReadError } from "./read.ts";
import { maximumLineBytes, seqAfter, type FactData, type TranscriptRecord } from "./record.ts";
import { lastLineStart } from "./tail.ts";
import { openTranscript, findOpenTranscript } from "./transcript.ts";

export interface AnnotateOptions {
  clock: { now(): number };
  ids: { uuid(): string };
  fs?: TranscriptFileSystem;
  processes?: ProcessTable;
}

/**
 * Appends a fact to the transcript at `path`, through the session that has it open if that is in this process. Throws `TranscriptError`:
 * `locked` if another process has it open, `not_found` if no line of it can be read, `io`.
 */
export function annotateSession<K extends "title" | "tag" | "archived">(
  path: string,
  kind: K,
  data: FactData[K],
  options: AnnotateOptions,
): void {
  const open = findOpenTranscript(path);
  if (open !== undefined) return throwIfFailed(open.appendMeta(kind, data));
  const { fs = nodeFileSystem, processes = nodeProcesses, clock } = options;
  const lock = acquireLock(path, {
    fs,
    processes,
    now: () => clock.now(),
    mayHaveLeftovers: true,
    isOnlyChanged: true,
  });
  try {
    const { record, nextSeq } = readLastRecord(fs, path);
    const { uuid, parentUuid, sessionId, cwd, version, gitBranch, ...last } = record;
    // A fact's parent is the message it follows.
    const leafUuid = "message" in last ? uuid : parentUuid;
    const resume = { leafUuid, nextSeq, snapshot: {}, recentUuids: [] };
    const own = { path, sessionId, cwd, version, gitBranch, resume, lock, durability: "process" as const };
    const transcript = openTranscript({ ...options, ...own });
    try {
      throwIfFailed(transcript.appendMeta(kind, data));
    } finally {
      transcript.close();
    }
  } finally {
    lock.release();
  }
}

function throwIfFailed(appended: ReturnType<ReturnType<typeof openTranscript>["appendMeta"]>): void {
  if (!appended.ok) throw new TranscriptError("io", appended.failure.message);
}

/** Returns the last readable record. `nextSeq` is greater than its number and those of the unreadable lines after it. */
function readLastRecord(fs: TranscriptFileSystem, path: string): { record: TranscriptRecord; nextSeq: number } {
  const descriptor = openForReading(fs, path);
  try {
    let nextSeq = 0;
    for (let end = fs.status(descriptor).size; end > 0;) {
      const start = lastLineStart(fs, descriptor, end);
      const line = end - start <= maximumLineBytes ? readRange(fs, descriptor, start, end) : Buffer.alloc(0);
      const parsed = parseRecord(line);
      if (parsed.ok) return { record: parsed.record, nextSeq: Math.max(nextSeq, seqAfter(parsed.record.seq)) };
      if (parsed.seq !== undefined) nextSeq = Math.max(nextSeq, seqAfter(parsed.seq));
      end = start - 1;
    }
  } catch (error) {
    throw toReadError(path, error);
  } finally {
    fs.close(descriptor);
  }
  throw new TranscriptError("not_found", `No line of the transcript ${path} can be read.`);
}
