/** Copies a session under a new id: the same conversation, whole or up to a message, with its own records. */
import { dirname, join } from "node:path";
import { agentMetaPath } from "./agent-meta.ts";
import { copyBytes, copyHistory } from "./copy-history.ts";
import { copyRecords, type CopyOptions } from "./copy-records.ts";
import { newerVersionError, TranscriptError } from "./error.ts";
import { reasonOf } from "../lib/system-reason.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { listNames } from "./list-sessions.ts";
import { draftCopyPath, sessionFolder, transcriptPath } from "./paths.ts";
import { openForReading, readSession } from "./read.ts";
import { createUuidMapping } from "./remap.ts";
import { describeUnknownLines } from "./read-report.ts";

export interface ForkOptions {
  /** The folder for the copy. Default: the original's. */
  folder?: string;
  /** The working directory in which the copy continues. Default: the original's. */
  cwd?: string;
  clock: { now(): number };
  /** Uuid of the copy's last message; results of calls that are open there are included. Default: everything. */
  upTo?: string;
  /** The title of the copy. Default: the original's. */
  title?: string;
  fs?: TranscriptFileSystem;
}

export interface ForkResult {
  path: string;
  records: number;
  /** Lines of the original that could not be read and are missing from the copy. */
  skipped: number;
  /** Unreadable lines of a kind that this version does not know. */
  unknown: number;
}

/** A sentence or two for people; undefined if the copy is complete. */
export function describeSkipped({ skipped, unknown }: ForkResult): string | undefined {
  const sentences: string[] = [];
  if (skipped > 0) {
    const lines = skipped === 1 ? "1 line of the original" : `${skipped} lines of the original`;
    const are = skipped === 1 ? "is" : "are";
    sentences.push(`The transcript was damaged: ${lines} could not be read, and ${are} not in the copy.`);
  }
  if (unknown > 0) sentences.push(describeUnknownLines(unknown, "the original", "not in the copy"));
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

/**
 * Copies every readable record of `path` with new uuids. References (the parent chain, targets of tombstones, messages inside boundaries)
 * follow, as do the conversations of its agents and the kept contents of changed files. The original is only read, and may be in use.
 * Throws `TranscriptError`: `invalid_id`, `not_found` (the session, or the message), `exists`, `io`.
 */
export function forkSession(path: string, newId: string, options: ForkOptions): ForkResult {
  const fs = options.fs ?? nodeFileSystem;
  const target = transcriptPath(options.folder ?? dirname(path), newId);
  const source = openForReading(fs, path);
  try {
    fs.makeFolder(dirname(target));
    if (fs.statusOf(target) !== undefined)
      throw new TranscriptError("exists", `The session ${newId} exists already. Choose another id.`);
    const copying = toCopyOptions(fs, path, newId.toLowerCase(), options);
    const draft = draftCopyPath(target);
    // Left by a copy to this id that died. A folder without a draft is not from a copy.
    if (fs.statusOf(draft) !== undefined) for (const left of [sessionFolder(target), draft]) fs.remove(left);
    const descriptor = fs.open(draft, "create");
    let done = false;
    try {
      const { hasMessages, ...counts } = copyRecords(
        { source, target: descriptor },
        { ...copying, title: options.title, cwd: options.cwd },
      );
      if (!hasMessages && counts.unknown > 0) throw newerVersionError(path);
      copyHistory(fs, path, target);
      copyAgents(path, target, copying);
      if (options.upTo === undefined) copySessionFiles(fs, path, target);
      // A copy that a crash cut short, even of the machine, must not be found as the newest session.
      fs.sync(descriptor);
      fs.rename(draft, target);
      done = true;
      return { path: target, ...counts };
    } finally {
      fs.close(descriptor);
      if (!done) for (const left of [draft, sessionFolder(target)]) fs.remove(left);
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

function toCopyOptions(fs: TranscriptFileSystem, path: string, newId: string, options: ForkOptions): CopyOptions {
  const shared = { fs, newId, mapUuid: createUuidMapping(newId), now: () => options.clock.now() };
  const { upTo } = options;
  if (upTo === undefined) return shared;
  const { cut } = readSession(path, fs, undefined, upTo);
  return cut === undefined ? shared : { ...shared, cut: { ...cut, at: upTo } };
}

/** Copies the conversations of agents started by then, up to that time. Skips unreadable ones, which could not continue either. */
function copyAgents(from: string, to: string, { cut, ...copying }: CopyOptions): void {
  const { fs } = copying;
  const [source, target] = [from, to].map((path) => join(sessionFolder(path), "subagents")) as [string, string];
  for (const name of listNames(fs, source)) {
    if (!/^agent-[\w-]+\.jsonl$/.test(name)) continue;
    let descriptor: number;
    try {
      descriptor = openForReading(fs, join(source, name));
    } catch (error) {
      if (error instanceof TranscriptError) continue;
      throw error;
    }
    try {
      fs.makeFolder(target);
      const path = join(target, name);
      const copy = fs.open(path, "create");
      let counts = { records: 0 };
      try {
        counts = copyRecords({ source: descriptor, target: copy }, { ...copying, until: cut?.time });
      } finally {
        fs.close(copy);
      }
      if (counts.records === 0) fs.remove(path);
      else copyAgentMeta(fs, join(source, name), path);
    } finally {
      fs.close(descriptor);
    }
  }
}

function copyAgentMeta(fs: TranscriptFileSystem, from: string, to: string): void {
  const [source, target] = [from, to].map(agentMetaPath) as [string, string];
  if (fs.statusOf(source)?.isFile === true) copyBytes(fs, source, target);
}

/** In this file the session functions of another SDK keep that they archived the session: that concerns the original only. */
const clientArchiveMark = "archived.json";

/** Copies other files of the session, such as its task list. They hold the current state, so they go with complete copies only. */
function copySessionFiles(fs: TranscriptFileSystem, from: string, to: string): void {
  const [source, target] = [sessionFolder(from), sessionFolder(to)];
  for (const name of listNames(fs, source)) {
    if (name === clientArchiveMark || !/^[\w-]+\.json$/.test(name) || fs.statusOf(join(source, name))?.isFile !== true)
      continue;
    fs.makeFolder(target);
    copyBytes(fs, join(source, name), join(target, name));
  }
}
