/** Files the model has read and somebody else has changed since: news for the next turn border, told once a change. */
import { readFileSync, type Stats } from "node:fs";
import { basename, dirname } from "node:path";
import { statusOf } from "../../lib/disk-look.ts";
import type { Attachment, Message } from "../../protocol/message.ts";
import type { ReadFileState, ReadRecord } from "../../tools/read-state.ts";
import { hashBytes } from "../../tools/text-file.ts";

/** The most recent ones: looking costs a system call each. */
const watched = 20;
/** Where borders follow each other faster than this, ms, and nothing was done that changes files, each looks at a few, in turn. */
const wholeLookMs = 2_000;
const fewLooks = 4;

type FileChanged = Extract<Attachment, { kind: "file_changed" }>;

export interface DiskNewsOptions {
  readState: ReadFileState;
  clock: { elapsed(): number };
  /** Whether a call that may have changed anything was made since this was last asked. */
  takeActed: () => boolean;
  /** Files that are known to go on, such as the output of what runs in the background. */
  growing?: () => ReadonlySet<string | null>;
  /** Folders with such output of runs that are over, and may have gone on to print behind what was read. */
  outputFolders?: readonly (string | null)[];
  /** The conversation that goes on: what it was told is no news. */
  messages?: readonly Message[];
}

/** `isInTurn`: more borders follow. With a prompt all is looked at: who sends the next one at once has changed files just before. */
export function createDiskNews({
  readState,
  clock,
  takeActed,
  growing = () => new Set(),
  outputFolders = [],
  messages = [],
}: DiskNewsOptions): (isInTurn: boolean) => FileChanged[] {
  const { told, gone } = toldIn(messages, readState);
  let lookedAt = -Infinity;
  let turn = 0;
  const choose = (paths: string[], isInTurn: boolean): string[] => {
    const hasActed = takeActed();
    if (paths.length <= fewLooks) return paths;
    const now = clock.elapsed();
    if (!isInTurn || hasActed || now - lookedAt >= wholeLookMs) {
      lookedAt = now;
      return paths;
    }
    const from = (turn++ * fewLooks) % paths.length;
    return paths.slice(from, from + fewLooks);
  };
  return (isInTurn) => {
    const news: FileChanged[] = [];
    const known = growing();
    const isOutput = (path: string) => outputFolders.includes(dirname(path)) && basename(path).startsWith("output-");
    const paths = readState.recent(watched).filter((each) => !known.has(each) && !isOutput(each));
    for (const path of choose(paths, isInTurn)) {
      const record = readState.get(path);
      const found = statusOf(path);
      const mtimeMs = found?.mtimeMs ?? null;
      const before = told.get(path);
      if (mtimeMs === record?.mtimeMs) told.delete(path);
      else told.set(path, mtimeMs);
      if (record === undefined || before === mtimeMs) continue;
      const isBack = gone.get(path) === record;
      gone.delete(path);
      if (mtimeMs === null) gone.set(path, record);
      const isSame = mtimeMs === record.mtimeMs || (found !== undefined && holdsTheSame(path, found, record));
      if (isSame && !isBack) continue;
      news.push({ kind: "file_changed", path, snippet: snippetOf(mtimeMs, isSame), mtimeMs });
    }
    return news;
  };
}

/** `isSame`: as it was read. */
function snippetOf(mtimeMs: number | null, isSame: boolean): string {
  if (mtimeMs === null) return "It is gone.";
  return isSame ? "It is there again, with what it held." : "Read it again before relying on what it said.";
}

interface Told {
  /** By path, the time of the change that was told or looked into; null: that it is gone. */
  told: Map<string, number | null>;
  /** What was read of those that were told to be gone. */
  gone: Map<string, ReadRecord>;
}

/** What is younger than what was told of it, as what a call made anew, is news as any other. */
function toldIn(messages: readonly Message[], readState: ReadFileState): Told {
  const told: Told["told"] = new Map();
  const gone: Told["gone"] = new Map();
  for (const message of messages) {
    if (message.type !== "attachment" || message.attachment.kind !== "file_changed") continue;
    const { path, mtimeMs } = message.attachment;
    const record = readState.get(path);
    told.delete(path);
    gone.delete(path);
    const isOlder = record !== undefined && record.mtimeMs <= Date.parse(message.timestamp);
    if (mtimeMs === undefined || !isOlder) continue;
    told.set(path, mtimeMs);
    if (mtimeMs === null) gone.set(path, record);
  }
  return { told, gone };
}

/** Touched, or written with what it held already. Read only where the size leaves it open, once a change. */
function holdsTheSame(path: string, found: Stats, { size, hash }: ReadRecord): boolean {
  if (hash === undefined || found.size !== size || !found.isFile()) return false;
  try {
    return hashBytes(readFileSync(path)) === hash;
  } catch {
    return false;
  }
}
