/**
 * What of each file the model has seen. Edits are refused on files that were not read or have changed since; a read that would
 * repeat what is in the conversation is answered in one line.
 */
export interface ReadRecord {
  readonly mtimeMs: number;
  readonly size: number;
  /** Of the file's bytes. Absent where the file was too large to be read whole; then time and size decide. */
  readonly hash?: string | undefined;
  /** Of what hooks of the call that wrote it made of it, as formatters do: the model has not seen that, and may go on to edit it. */
  readonly leftByHooks?: string | undefined;
  /** The model has not seen all of it. */
  readonly partial?: boolean | undefined;
  /** Where it has seen a part: the last of the lines from the first on that were shown, in however many reads. */
  readonly seenTo?: number | undefined;
  /** Of a notebook: the cells from this one on stand elsewhere than where the model saw them. */
  readonly movedFrom?: number | undefined;
  /** The lines in the conversation: `limit` null means to the end. Absent once they no longer say what the file holds. */
  readonly shown?: { offset: number; limit: number | null } | undefined;
  /** Where the file lies, where that has another name: behind a link, or of a disk that takes `a` and `A` for the same. */
  readonly place?: string | undefined;
}

export type ReadStateSnapshot = [path: string, record: ReadRecord][];

export interface Showing {
  /** The call that shows it. */
  toolUseId?: string | undefined;
  /** Where the file lies, without a link; absent: nobody looked. */
  place?: string | undefined;
}

export interface ReadFileState {
  get(path: string): ReadRecord | undefined;
  set(path: string, record: ReadRecord, showing?: Showing): void;
  /** All that are known of the file that lies there: this one, and those by which it was read. */
  namesOf(place: string): string[];
  /** Most of what that call showed did not come into the conversation. */
  notShown(toolUseId: string): void;
  /** Hooks of the call that wrote it made this of it. */
  leftByHooks(path: string, hash: string): void;
  delete(path: string): void;
  /** The conversation no longer holds what was read (compaction, or old results dropped). What edits are checked against stays. */
  clear(): void;
  /** Paths, last touched first; of a file with several names that one. */
  recent(count: number): string[];
  /** Plain JSON, oldest first. */
  snapshot(): ReadStateSnapshot;
  /** Replaces everything. Entries that are not records are left out; nothing counts as being in the conversation. */
  restore(snapshot: unknown): void;
}

/** What a call showed is asked for right after it, and no more of them run side by side. */
const mostCalls = 100;

/**
 * Beyond `most` files the ones untouched for longest are forgotten, and need to be read again before an edit. `onSet` is told of
 * each path that is read or written.
 */
export function createReadFileState(most = 1000, onSet?: (path: string, place?: string) => void): ReadFileState {
  const records = new Map<string, ReadRecord>();
  /** Path by call, of the latest. */
  const shownBy = new Map<string, string>();
  const set = (path: string, record: ReadRecord): void => {
    records.delete(path);
    records.set(path, record);
    if (records.size <= most) return;
    const [oldest] = records.keys();
    if (oldest !== undefined) records.delete(oldest);
  };
  return {
    get: (path) => records.get(path),
    set(path, record, { toolUseId, place } = {}) {
      set(path, place === undefined || place === path ? record : { ...record, place });
      onSet?.(path, place);
      if (toolUseId === undefined) return;
      shownBy.set(toolUseId, path);
      const [oldest] = shownBy.keys();
      if (shownBy.size > mostCalls && oldest !== undefined) shownBy.delete(oldest);
    },
    namesOf(place) {
      const others = Array.from(records).filter(([, record]) => record.place === place);
      return [place, ...others.map(([path]) => path)];
    },
    notShown(toolUseId) {
      const path = shownBy.get(toolUseId) ?? "";
      const record = records.get(path);
      if (record !== undefined) records.set(path, { ...record, partial: true, seenTo: undefined, shown: undefined });
    },
    leftByHooks(path, hash) {
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
  if (typeof path !== "string" || typeof record !== "object" || record === null) return undefined;
  const { mtimeMs, size, hash, leftByHooks, partial, seenTo, movedFrom, place } = record as Record<string, unknown>;
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
