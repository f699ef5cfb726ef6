/**
 * What the model has seen of each file. Edits are refused on files that were not read or have changed since. A read that
 * would repeat what is already in the conversation is answered in one line.
 */
import { isRecord } from "../lib/is-record.ts";

export interface ReadRecord {
  readonly mtimeMs: number;
  readonly size: number;
  /** Hash of the file's bytes. Absent if the file was too large to read whole; then time and size decide. */
  readonly hash?: string | undefined;
  /** Hash of what hooks (such as formatters) made of the file after a call wrote it: the model has not seen it but may edit on. */
  readonly leftByHooks?: string | undefined;
  /** The model has not seen the whole file. */
  readonly partial?: boolean | undefined;
  /** For a partially seen file: the last line of the contiguous part from the first line on that was shown, in any number of reads. */
  readonly seenTo?: number | undefined;
  /** For a notebook: the cells from this position on are no longer where the model saw them. */
  readonly movedFrom?: number | undefined;
  /** The lines in the conversation; `limit` null means to the end. Absent once they no longer match the file. */
  readonly shown?: { offset: number; limit: number | null } | undefined;
  /** The file's real path if it differs from this one: through a link, or on a disk where `a` and `A` name the same file. */
  readonly place?: string | undefined;
}

export type ReadStateSnapshot = [path: string, record: ReadRecord][];

export interface RecordOptions {
  /** The call that shows the file. */
  toolUseId?: string | undefined;
  /** The file's real path, without links; absent if nobody looked. */
  place?: string | undefined;
}

export interface ReadFileState {
  get(path: string): ReadRecord | undefined;
  set(path: string, record: ReadRecord, options?: RecordOptions): void;
  /** Returns all known names of the file at this real path: the path itself, and the names under which it was read. */
  namesOf(place: string): string[];
  /** Records that most of what the call showed did not reach the conversation. */
  markNotShown(toolUseId: string): void;
  /** Records the hash of the file after hooks of the call that wrote it changed it. */
  recordHookChange(path: string, hash: string): void;
  delete(path: string): void;
  /** For when the conversation no longer holds what was read (compaction, dropped results). Edits are still checked. */
  clear(): void;
  /** Returns the paths touched last, most recent first; for a file with several names, the name used last. */
  recent(count: number): string[];
  /** Plain JSON, oldest first. */
  snapshot(): ReadStateSnapshot;
  /** Replaces everything. Entries that are not records are left out; nothing counts as being in the conversation. */
  restore(snapshot: unknown): void;
}

/** `markNotShown` is called right after the call that showed a file, and no more calls than this run in parallel. */
const mostCalls = 100;

/**
 * Beyond `maxRecords` files, those read or written longest ago are forgotten and must be read again before an edit. `onSet` is called with
 * each path that is read or written.
 */
export function createReadFileState(maxRecords = 1000, onSet?: (path: string, place?: string) => void): ReadFileState {
  const records = new Map<string, ReadRecord>();
  /** The path that each of the latest calls showed, by call id. */
  const pathsByCall = new Map<string, string>();
  const set = (path: string, record: ReadRecord): void => {
    records.delete(path);
    records.set(path, record);
    if (records.size <= maxRecords) return;
    const [oldest] = records.keys();
    if (oldest !== undefined) records.delete(oldest);
  };
  return {
    get: (path) => records.get(path),
    set(path, record, { toolUseId, place } = {}) {
      set(path, place === undefined || place === path ? record : { ...record, place });
      onSet?.(path, place);
      if (toolUseId === undefined) return;
      pathsByCall.set(toolUseId, path);
      const [oldest] = pathsByCall.keys();
      if (pathsByCall.size > mostCalls && oldest !== undefined) pathsByCall.delete(oldest);
    },
    namesOf(place) {
      const others = Array.from(records).filter(([, record]) => record.place === place);
      return [place, ...others.map(([path]) => path)];
    },
    markNotShown(toolUseId) {
      const path = pathsByCall.get(toolUseId) ?? "";
      const record = records.get(path);
      if (record !== undefined) records.set(path, { ...record, partial: true, seenTo: undefined, shown: undefined });
    },
    recordHookChange(path, hash) {
      const record = records.get(path);
      if (record !== undefined) records.set(path, { ...record, leftByHooks: hash });
    },
    delete: (path) => {
      records.delete(path);
    },
    clear: () => {
      for (const [path, record] of records) records.set(path, { ...record, shown: undefined });
    },
    recent(count) {
      const byPlace = new Map<string, string>();
      for (const path of Array.from(records.keys()).toReversed()) {
        if (byPlace.size === count) break;
        const place = records.get(path)?.place ?? path;
        if (!byPlace.has(place)) byPlace.set(place, path);
      }
      return [...byPlace.values()];
    },
    snapshot: () => Array.from(records),
    restore: (snapshot) => {
      records.clear();
      if (!Array.isArray(snapshot)) return;
      for (const entry of snapshot as unknown[]) {
        const read = readEntry(entry);
        if (read !== undefined) set(...read);
      }
    },
  };
}

function readEntry(entry: unknown): [string, ReadRecord] | undefined {
  if (!Array.isArray(entry)) return undefined;
  const [path, record] = entry as unknown[];
  if (typeof path !== "string" || !isRecord(record)) return undefined;
  const { mtimeMs, size, hash, leftByHooks, partial, seenTo, movedFrom, place } = record;
  if (typeof mtimeMs !== "number" || typeof size !== "number") return undefined;
  return [
    path,
    {
      mtimeMs,
      size,
      hash: typeof hash === "string" ? hash : undefined,
      leftByHooks: typeof leftByHooks === "string" ? leftByHooks : undefined,
      partial: partial === true || undefined,
      seenTo: typeof seenTo === "number" ? seenTo : undefined,
      movedFrom: typeof movedFrom === "number" ? movedFrom : undefined,
      ...(typeof place === "string" ? { place } : {}),
    },
  ];
}
