/** What a snapshot knows about one path: what it is, and where its content is stored. */
import type { Stats } from "node:fs";
import { isRecord } from "../../lib/is-record.ts";

/** Where the bytes of a file are: `storedBytes` at `at` in a pack, compressed if they are fewer than the file has. */
export interface Place {
  pack: string;
  at: number;
  storedBytes: number;
}

export interface FileEntry {
  kind: "file";
  mode: number;
  size: number;
  ino: number;
  /** -1: the file changed so shortly before it was read that a later change could leave the same time. */
  mtimeMs: number;
  ctimeMs: number;
  /** SHA-256 in hex. */
  hash: string;
  /** Absent if the file was only looked at. */
  place?: Place;
}

/** Why an existing path is not covered. */
export type UncoveredReason = (typeof uncoveredReasons)[number];
const uncoveredReasons = [
  "ignored",
  "packages",
  "repository",
  "worktree",
  "own",
  "special",
  "too_large",
  "too_much",
  "too_slow",
  "network",
  "unreadable",
] as const;

export interface UncoveredEntry {
  kind: "left";
  why: UncoveredReason;
  size?: number;
  mtimeMs?: number;
}

export type TreeEntry =
  | FileEntry
  | { kind: "link"; target: string }
  | { kind: "folder"; mode: number }
  | UncoveredEntry;

/** By absolute path; a folder precedes its contents. */
export type Tree = Map<string, TreeEntry>;

/** Whether the file system shows no change since. */
export function isUnchanged(entry: FileEntry, stats: Stats): boolean {
  return (
    entry.ino === stats.ino &&
    entry.size === stats.size &&
    entry.mtimeMs === stats.mtimeMs &&
    entry.ctimeMs === stats.ctimeMs &&
    entry.mode === (stats.mode & 0o7777)
  );
}

/** Whether both have the same content and mode, whenever they were looked at. Undefined: nothing is there. */
export function isSameState(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  switch (one.kind) {
    case "file":
      return other.kind === "file" && one.hash === other.hash && one.mode === other.mode;
    case "link":
      return other.kind === "link" && one.target === other.target;
    case "folder":
      return other.kind === "folder" && one.mode === other.mode;
    case "left":
      return other.kind === "left" && one.size === other.size && one.mtimeMs === other.mtimeMs;
    default:
      return one satisfies never;
  }
}

/** A compact form, because there are thousands of entries. */
export function entryToJson(path: string, entry: TreeEntry): unknown[] {
  switch (entry.kind) {
    case "file": {
      const { mode, size, ino, mtimeMs, ctimeMs, hash, place } = entry;
      const kept = place === undefined ? [] : [place.pack, place.at, place.storedBytes];
      return ["f", path, mode, size, ino, mtimeMs, ctimeMs, hash, ...kept];
    }
    case "link":
      return ["l", path, entry.target];
    case "folder":
      return ["d", path, entry.mode];
    case "left":
      return ["x", path, entry.why, entry.size, entry.mtimeMs];
    default:
      return entry satisfies never;
  }
}

/** Returns undefined for an invalid entry. Reads elements by index, since iterating over thousands of arrays takes three times as long. */
export function entryFromJson(json: unknown): [path: string, entry: TreeEntry] | undefined {
  if (!Array.isArray(json)) return undefined;
  const { 0: kind, 1: path } = json as unknown[];
  if (typeof path !== "string") return undefined;
  const entry = readEntry(kind, json);
  return entry === undefined ? undefined : [path, entry];
}

function readEntry(kind: unknown, json: readonly unknown[]): TreeEntry | undefined {
  if (kind === "f") return readFileEntry(json);
  const { 2: first, 3: second, 4: third } = json;
  if (kind === "d") return typeof first === "number" ? { kind: "folder", mode: first } : undefined;
  if (kind === "l") return typeof first === "string" ? { kind: "link", target: first } : undefined;
  const why = uncoveredReasons.find((reason) => reason === first);
  if (kind !== "x" || why === undefined) return undefined;
  return typeof second === "number" && typeof third === "number"
    ? { kind: "left", why, size: second, mtimeMs: third }
    : { kind: "left", why };
}

const packNamePattern = /^[0-9a-f-]{36}$/;

export function isPackName(name: unknown): name is string {
  return typeof name === "string" && packNamePattern.test(name);
}

function readFileEntry(json: readonly unknown[]): FileEntry | undefined {
  const { 2: mode, 3: size, 4: ino, 5: mtimeMs, 6: ctimeMs, 7: hash, 8: pack, 9: at, 10: storedBytes } = json;
  if (typeof mode !== "number" || typeof size !== "number" || typeof ino !== "number") return undefined;
  if (typeof mtimeMs !== "number" || typeof ctimeMs !== "number" || typeof hash !== "string") return undefined;
  const entry: FileEntry = { kind: "file", mode, size, ino, mtimeMs, ctimeMs, hash };
  if (isPackName(pack) && typeof at === "number" && typeof storedBytes === "number")
    entry.place = { pack, at, storedBytes };
  return entry;
}

/** The mark of one snapshot in a session's log: the state of everything in its roots. */
export interface SnapshotMark {
  /** Counted from 1. */
  number: number;
  /** `before`: taken before the work on a prompt. `after`: taken after it. */
  when: "before" | "after";
  roots: string[];
}

export function readSnapshotMark(json: unknown): SnapshotMark | undefined {
  if (!isRecord(json)) return undefined;
  const { mark, when, roots } = json;
  if (typeof mark !== "number" || (when !== "before" && when !== "after") || !Array.isArray(roots)) return undefined;
  return { number: mark, when, roots: roots.filter((root) => typeof root === "string") };
}
