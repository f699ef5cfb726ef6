/**
 * The snapshots of one session, a line each: what is different from the one before. A line that a crash has torn is passed over
 * whole, and the next one says what it would have said.
 */
import { closeSync, constants, fdatasyncSync, fstatSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { isRecord } from "../../lib/is-record.ts";
import { jsonIn } from "../../lib/json-in.ts";
import { makeFolders } from "../../lib/make-folders.ts";
import {
  entryFromJson,
  entryToJson,
  isPackName,
  isSameState,
  readMark,
  type FileEntry,
  type Mark,
  type Tree,
} from "./entry.ts";

/** What a line of the log changes. */
export interface Step {
  mark: Mark;
  /** Paths whose state is another one than at the mark before; none for the first. */
  changed: string[];
}

export interface Replayed {
  /** At the last mark. */
  tree: Tree;
  /** At the mark that was asked for. */
  target?: Tree;
  marks: Mark[];
  /** After the mark that was asked for, in order. */
  since: Step[];
}

const mostBytes = 512 << 20;

/** Never throws: what is not there is empty. `at`: number of the mark that is wanted. */
export function replay(path: string, baseOf: (name: string) => Tree, at?: number): Replayed {
  const replayed: Replayed = { tree: new Map(), marks: [], since: [] };
  for (const line of linesOf(path)) {
    const json = jsonIn(line);
    const mark = readMark(json);
    if (mark === undefined || !isRecord(json)) continue;
    const changed = apply(replayed.tree, json, baseOf);
    replayed.marks.push(mark);
    if (replayed.target !== undefined) replayed.since.push({ mark, changed });
    else if (mark.number === at) replayed.target = new Map(replayed.tree);
  }
  return replayed;
}

function apply(tree: Tree, json: Record<string, unknown>, baseOf: (name: string) => Tree): string[] {
  const { base, gone, put } = json;
  const changed: string[] = [];
  if (isPackName(base)) {
    tree.clear();
    for (const [path, entry] of baseOf(base)) tree.set(path, entry);
  }
  for (const path of Array.isArray(gone) ? (gone as unknown[]) : [])
    if (typeof path === "string" && tree.delete(path)) changed.push(path);
  for (const item of Array.isArray(put) ? (put as unknown[]) : []) {
    const read = entryFromJson(item);
    if (read === undefined) continue;
    const { 0: path, 1: entry } = read;
    if (!isSameState(tree.get(path), entry)) changed.push(path);
    tree.set(path, entry);
  }
  return changed;
}

/** What leads from one tree to the other, as a line says it. */
export function difference(from: Tree, to: Tree): { put: unknown[][]; gone: string[] } {
  const put: unknown[][] = [];
  for (const [path, entry] of to)
    if (from.get(path) !== entry && !isAlike(from, path, to)) put.push(entryToJson(path, entry));
  const gone = Array.from(from.keys()).filter((path) => !to.has(path));
  return { put, gone };
}

/** What is looked at anew makes a new entry that may say the same. */
function isAlike(from: Tree, path: string, to: Tree): boolean {
  const [one, other] = [from.get(path), to.get(path)];
  if (one?.kind !== "file" || other?.kind !== "file") return isSameState(one, other);
  return (
    one.hash === other.hash && one.place === other.place && one.mtimeMs === other.mtimeMs && isSameFile(one, other)
  );
}

function isSameFile(one: FileEntry, other: FileEntry): boolean {
  return one.ino === other.ino && one.ctimeMs === other.ctimeMs && one.mode === other.mode && one.size === other.size;
}

export interface LogLine extends Mark {
  /** Packs and trees that this line is the first to rely on. A sweep reads them from the beginning of the line. */
  uses: readonly string[];
  /** The tree it begins from; absent: that of the line before. */
  base?: string;
  put: unknown[][];
  gone: string[];
}

/** Throws the system's error. */
export function appendLine(path: string, line: LogLine, flush: boolean): void {
  const { uses, number: mark, when, roots, base, put, gone } = line;
  withLog(path, (descriptor) => {
    // After a torn line, the line feed ends it.
    writeAll(descriptor, Buffer.from(`\n${JSON.stringify({ uses, mark, when, roots, base, put, gone })}\n`));
    if (flush) fdatasyncSync(descriptor);
  });
}

/** Now, as the file system counts time, in ms. Throws the system's error. */
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
  if (bytes.length > mostBytes) return;
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at);
    const line = bytes.toString("utf8", at, end < 0 ? bytes.length : end);
    if (line !== "") yield line;
    at = end < 0 ? bytes.length : end + 1;
  }
}
