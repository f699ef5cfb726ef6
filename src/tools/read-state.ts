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

/** Null: the path was forgotten. */
export type ReadStateChange = [path: string, record: ReadRecord | null];

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
  /** Returns what `restore` needs after an earlier snapshot: the changes since `markRecorded` or `restore`, as plain JSON, oldest first. */
  listChanges(): ReadStateChange[];
  markRecorded(): void;
  /**
   * Replaces everything: a snapshot, with later changes after it. Entries that are neither records nor null are left out; nothing counts
   * as being in the conversation.
   */
  restore(snapshot: unknown): void;
}

/** `markNotShown` is called right after the call that showed a file, and no more calls than this run in parallel. */
const mostCalls = 100;

/**
 * Beyond `maxRecords` files, those read or written longest ago are forgotten and must be read again before an edit. `onSet` is called with
 * each path that is read or written.
 */
export function createReadFileState(maxRecords = 1000, onSet?: (path: string, place?: string) => void): ReadFileState {
  const records = new ReadRecords(maxRecords);
  /** The path that each of the latest calls showed, by call id. */
  const pathsByCall = new Map<string, string>();
  return {
    get: (path) => records.byPath.get(path),
    set(path, record, { toolUseId, place } = {}) {
      records.set(path, place === undefined || place === path ? record : { ...record, place });
      onSet?.(path, place);
      if (toolUseId === undefined) return;
      pathsByCall.set(toolUseId, path);
      const [oldest] = pathsByCall.keys();
      if (pathsByCall.size > mostCalls && oldest !== undefined) pathsByCall.delete(oldest);
    },
    namesOf(place) {
      const others = Array.from(records.byPath).filter(([, record]) => record.place === place);
      return [place, ...others.map(([path]) => path)];
    },
    markNotShown(toolUseId) {
      const path = pathsByCall.get(toolUseId);
      if (path !== undefined) records.update(path, { partial: true, seenTo: undefined, shown: undefined });
    },
    recordHookChange: (path, hash) => records.update(path, { leftByHooks: hash }),
    delete: (path) => records.delete(path),
    clear: () => records.forgetShown(),
    recent(count) {
      const byPlace = new Map<string, string>();
      for (const [path, { place = path }] of Array.from(records.byPath).toReversed()) {
        if (byPlace.size === count) break;
        if (!byPlace.has(place)) byPlace.set(place, path);
      }
      return [...byPlace.values()];
    },
    snapshot: () => Array.from(records.byPath),
    listChanges: () => records.listChanges(),
    markRecorded: () => records.markRecorded(),
    restore: (snapshot) => records.restore(Array.isArray(snapshot) ? snapshot : []),
  };
}

class ReadRecords {
  /** Those touched last are at the end. */
  readonly byPath = new Map<string, ReadRecord>();
  readonly #maxRecords: number;
  /** In the order of their last change. */
  readonly #changedPaths = new Set<string>();

  constructor(maxRecords: number) {
    this.#maxRecords = maxRecords;
  }

  set(path: string, record: ReadRecord): void {
    this.byPath.delete(path);
    this.byPath.set(path, record);
    this.#noteChange(path);
    if (this.byPath.size <= this.#maxRecords) return;
    const [oldest] = this.byPath.keys();
    if (oldest === undefined) return;
    this.byPath.delete(oldest);
    // A restore forgets it for the same reason.
    this.#changedPaths.delete(oldest);
  }

  update(path: string, change: Partial<ReadRecord>): void {
    const record = this.byPath.get(path);
    if (record !== undefined) this.set(path, { ...record, ...change });
  }

  delete(path: string): void {
    if (this.byPath.delete(path)) this.#noteChange(path);
  }

  /** In the order in which a restore repeats the changes, so that it forgets the same files beyond `maxRecords`. */
  #noteChange(path: string): void {
    this.#changedPaths.delete(path);
    this.#changedPaths.add(path);
  }

  forgetShown(): void {
    for (const [path, record] of this.byPath) this.byPath.set(path, { ...record, shown: undefined });
  }

  listChanges(): ReadStateChange[] {
    return Array.from(this.#changedPaths, (path) => {
      const record = this.byPath.get(path);
      return [path, record === undefined ? null : { ...record, shown: undefined }];
    });
  }

  markRecorded(): void {
    this.#changedPaths.clear();
  }

  restore(entries: readonly unknown[]): void {
    this.byPath.clear();
    for (const entry of entries) {
      const read = readEntry(entry);
      if (read === undefined) continue;
      const { 0: path, 1: record } = read;
      if (record === null) this.byPath.delete(path);
      else this.set(path, record);
    }
    this.#changedPaths.clear();
  }
}

function readEntry(entry: unknown): ReadStateChange | undefined {
  if (!Array.isArray(entry)) return undefined;
  const [path, record] = entry as unknown[];
  if (typeof path !== "string") return undefined;
  if (record === null) return [path, null];
  if (!isRecord(record)) return undefined;
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
