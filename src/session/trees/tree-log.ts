/**
 * The snapshots of one session, one per line: the difference from the snapshot before. A line torn by a crash is skipped as a whole, and
 * the next line includes its changes.
 */
import { closeSync, constants, fdatasyncSync, fstatSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { isRecord } from "../../lib/is-record.ts";
import { tryParseJson } from "../../lib/try-parse-json.ts";
import { makeFolders } from "../../lib/make-folders.ts";
import {
  entryFromJson,
  entryToJson,
  isPackName,
  isSameState,
  readSnapshotMark,
  type FileEntry,
  type SnapshotMark,
  type Tree,
  type TreeEntry,
} from "./entry.ts";

/** The changes that one line of the log makes. */
export interface LogStep {
  mark: SnapshotMark;
  /** Empty for the first. */
  changes: PathChange[];
}

/** A path whose state differs from the previous mark. */
export interface PathChange {
  path: string;
  from: TreeEntry | undefined;
  to: TreeEntry | undefined;
  /** The scan did not look at the path, or at a folder above it: it may be as it was, changed, or gone. */
  isUnknown: boolean;
}

export interface ReplayedLog {
  /** The tree at the last mark. */
  tree: Tree;
  /** The tree at the requested mark. */
  target?: Tree;
  marks: SnapshotMark[];
  /** The steps after the requested mark, in order. */
  since: LogStep[];
}

const maxBytes = 512 << 20;

/** Never throws: a missing log is empty. `at`: the number of the requested mark. */
export function replayLog(path: string, baseOf: (name: string) => Tree, at?: number): ReplayedLog {
  const replayed: ReplayedLog = { tree: new Map(), marks: [], since: [] };
  for (const line of linesOf(path)) {
    const json = tryParseJson(line);
    const mark = readSnapshotMark(json);
    if (mark === undefined || !isRecord(json)) continue;
    const changes = applyLine(replayed.tree, json, baseOf);
    replayed.marks.push(mark);
    if (replayed.target !== undefined) replayed.since.push({ mark, changes });
    else if (mark.number === at) replayed.target = new Map(replayed.tree);
  }
  return replayed;
}

function applyLine(tree: Tree, json: Record<string, unknown>, baseOf: (name: string) => Tree): PathChange[] {
  const { base, gone, put } = json;
  const earlier = new Map<string, TreeEntry | undefined>();
  if (isPackName(base)) {
    tree.clear();
    for (const [path, entry] of baseOf(base)) tree.set(path, entry);
  }
  for (const path of Array.isArray(gone) ? (gone as unknown[]) : [])
    if (typeof path === "string" && tree.has(path)) {
      earlier.set(path, tree.get(path));
      tree.delete(path);
    }
  for (const item of Array.isArray(put) ? (put as unknown[]) : []) {
    const read = entryFromJson(item);
    if (read === undefined) continue;
    const { 0: path, 1: entry } = read;
    const from = tree.get(path);
    if (!isSameState(from, entry)) earlier.set(path, from);
    tree.set(path, entry);
  }
  return Array.from(earlier, ([path, from]) => changeOf(path, from, tree));
}

/** `tree`: the later one. */
export function changeOf(path: string, from: TreeEntry | undefined, tree: Tree): PathChange {
  return { path, from, to: tree.get(path), isUnknown: isUnknownIn(tree, path) };
}

export function isUnknownIn(tree: Tree, path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    const entry = tree.get(at);
    if (entry !== undefined) return entry.kind === "left";
    if (dirname(at) === at) return false;
  }
}

/** How one tree differs from another, in the form of a log line. */
export interface TreeDifference {
  put: unknown[][];
  gone: string[];
}

export function treeDifference(from: Tree, to: Tree): TreeDifference {
  const put: unknown[][] = [];
  let kept = 0;
  for (const [path, entry] of to) {
    const earlier = from.get(path);
    if (earlier !== undefined) kept++;
    if (earlier !== entry && !isSameEntry(earlier, entry)) put.push(entryToJson(path, entry));
  }
  // Mostly nothing is gone, and looking up 100,000 paths again would take as long as all of the above.
  const gone = kept === from.size ? [] : Array.from(from.keys()).filter((path) => !to.has(path));
  return { put, gone };
}

/** A new scan makes new entries, which may be equal. */
function isSameEntry(one: TreeEntry | undefined, other: TreeEntry): boolean {
  if (one?.kind !== "file" || other.kind !== "file") return isSameState(one, other);
  return (
    one.hash === other.hash && one.place === other.place && one.mtimeMs === other.mtimeMs && isSameFile(one, other)
  );
}

function isSameFile(one: FileEntry, other: FileEntry): boolean {
  return one.ino === other.ino && one.ctimeMs === other.ctimeMs && one.mode === other.mode && one.size === other.size;
}

export interface LogLine extends SnapshotMark, TreeDifference {
  /** Packs and bases to which this line is the first to refer. A sweep reads them from the start of the line. */
  uses: readonly string[];
  /** The base from which the line starts; absent: the tree of the previous line. */
  base?: string;
}

/** Throws the system's error. */
export function appendLine(path: string, line: LogLine, flush: boolean): void {
  const { uses, number: mark, when, roots, base, put, gone } = line;
  withLog(path, (descriptor) => {
    // The leading line feed ends a torn line.
    writeAll(descriptor, Buffer.from(`\n${JSON.stringify({ uses, mark, when, roots, base, put, gone })}\n`));
    if (flush) fdatasyncSync(descriptor);
  });
}

/** Returns the present time according to the file system, in ms. Throws the system's error. */
export function fileSystemTime(path: string): number {
  return withLog(path, (descriptor) => {
    writeAll(descriptor, Buffer.from("\n"));
    return fstatSync(descriptor).mtimeMs;
  });
}

const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;

function withLog<T>(path: string, work: (descriptor: number) => T): T {
  makeFolders(dirname(path), 0o700);
  const descriptor = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  try {
    return work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;)
    written += writeSync(descriptor, bytes, written, bytes.length - written);
}

function* linesOf(path: string): Generator<string> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return;
  }
  if (bytes.length > maxBytes) return;
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at);
    const line = bytes.toString("utf8", at, end < 0 ? bytes.length : end);
    if (line !== "") yield line;
    at = end < 0 ? bytes.length : end + 1;
  }
}
