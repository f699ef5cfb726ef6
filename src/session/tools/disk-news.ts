/** Files that the model has read and that somebody else has changed since: reported at the next turn border, once per change. */
import { readFileSync, type Stats } from "node:fs";
import { basename, dirname } from "node:path";
import { statusOf } from "../../lib/path-status.ts";
import type { Attachment, Message } from "../../protocol/message.ts";
import type { ReadFileState, ReadRecord } from "../../tools/read-state.ts";
import { hashBytes } from "../../tools/text-file.ts";

/** The number of most recent files that are watched: each look costs a system call. */
const maxWatchedFiles = 20;
/** If borders follow each other faster than this (ms) and no call may have changed files, each border looks at only a few, in rotation. */
const fullCheckMs = 2_000;
const filesPerQuickCheck = 4;

type FileChanged = Extract<Attachment, { kind: "file_changed" }>;

export interface DiskNewsOptions {
  readState: ReadFileState;
  clock: { elapsed(): number };
  /** Whether a call that may have changed anything was made since this was last asked. */
  takeActed: () => boolean;
  /** Files that are expected to grow, such as the output of background tasks. */
  growing?: () => ReadonlySet<string | null>;
  /** Folders with output of runs that are over; that output may have continued after it was read. */
  outputFolders?: readonly (string | null)[];
  /** The conversation of a resumed session: what it already mentions is not news. */
  messages?: readonly Message[];
}

/** `isInTurn`: more borders follow. With a prompt, all files are looked at: its sender may have changed files just before. */
export function createDiskNews({
  readState,
  clock,
  takeActed,
  growing = () => new Set(),
  outputFolders = [],
  messages = [],
}: DiskNewsOptions): (isInTurn: boolean) => FileChanged[] {
  const { reported, missing } = readReportedChanges(messages, readState);
  let lookedAt = -Infinity;
  let turn = 0;
  const choose = (paths: string[], isInTurn: boolean): string[] => {
    const hasActed = takeActed();
    if (paths.length <= filesPerQuickCheck) return paths;
    const now = clock.elapsed();
    if (!isInTurn || hasActed || now - lookedAt >= fullCheckMs) {
      lookedAt = now;
      return paths;
    }
    const from = (turn++ * filesPerQuickCheck) % paths.length;
    return paths.slice(from, from + filesPerQuickCheck);
  };
  return (isInTurn) => {
    const news: FileChanged[] = [];
    const known = growing();
    const isOutput = (path: string) => outputFolders.includes(dirname(path)) && basename(path).startsWith("output-");
    const paths = readState.recent(maxWatchedFiles).filter((each) => !known.has(each) && !isOutput(each));
    for (const path of choose(paths, isInTurn)) {
      const record = readState.get(path);
      const found = statusOf(path);
      const mtimeMs = found?.mtimeMs ?? null;
      const before = reported.get(path);
      if (mtimeMs === record?.mtimeMs) reported.delete(path);
      else reported.set(path, mtimeMs);
      if (record === undefined || before === mtimeMs) continue;
      const isBack = missing.get(path) === record;
      missing.delete(path);
      if (mtimeMs === null) missing.set(path, record);
      const isSame = mtimeMs === record.mtimeMs || (found !== undefined && hasSameContent(path, found, record));
      if (isSame && !isBack) continue;
      news.push({ kind: "file_changed", path, snippet: snippetOf(mtimeMs, isSame), mtimeMs });
    }
    return news;
  };
}

/** `isSame`: the content is as it was read. */
function snippetOf(mtimeMs: number | null, isSame: boolean): string {
  if (mtimeMs === null) return "It is gone.";
  return isSame ? "It exists again, with its former content." : "Read it again before relying on what it said.";
}

interface ReportedChanges {
  /** Per path, the time of the change that was reported or examined; null if the file was reported gone. */
  reported: Map<string, number | null>;
  /** What was read of the files that were reported gone. */
  missing: Map<string, ReadRecord>;
}

/** The changes that `messages` report. A report does not count if the file was written, and then read, after it. */
function readReportedChanges(messages: readonly Message[], readState: ReadFileState): ReportedChanges {
  const reported: ReportedChanges["reported"] = new Map();
  const missing: ReportedChanges["missing"] = new Map();
  for (const message of messages) {
    if (message.type !== "attachment" || message.attachment.kind !== "file_changed") continue;
    const { path, mtimeMs } = message.attachment;
    const record = readState.get(path);
    reported.delete(path);
    missing.delete(path);
    const isOlder = record !== undefined && record.mtimeMs <= Date.parse(message.timestamp);
    if (mtimeMs === undefined || !isOlder) continue;
    reported.set(path, mtimeMs);
    if (mtimeMs === null) missing.set(path, record);
  }
  return { reported, missing };
}

/** Whether a file was only touched, or rewritten with the same content. Its content is read only if the size is equal, once per change. */
function hasSameContent(path: string, stats: Stats, { size, hash }: ReadRecord): boolean {
  if (hash === undefined || stats.size !== size || !stats.isFile()) return false;
  try {
    return hashBytes(readFileSync(path)) === hash;
  } catch {
    return false;
  }
}
