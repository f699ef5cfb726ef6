/** A store of the host's for transcripts: what it has to be, and how it names them. */

/** Names one transcript. */
export interface SessionKey {
  /** Of the folder that is worked in, by its path. */
  projectKey: string;
  sessionId: string;
  /** Of an agent's: `subagents/agent-<id>`. Absent: the session's own. */
  subpath?: string;
}

/** A line of a transcript. Most have a `uuid`, by which one that comes twice is known. */
export interface SessionStoreEntry {
  type: string;
  uuid?: string;
  timestamp?: string;
  [field: string]: unknown;
}

export interface SessionStore {
  /** Called in the order of writing. What it rejects is tried again twice; what takes longer than 60 s is not. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  /** All entries, as they were appended; null where there are none. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  /** For `continue`: `mtime` in ms. */
  listSessions?(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
  /** The agents of a session. Absent: they are not resumed. */
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
}
