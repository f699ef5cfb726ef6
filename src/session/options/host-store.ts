/** A host's own store for transcripts: its interface, and the keys of transcripts. */

/** Identifies one transcript. */
export interface SessionKey {
  /** Derived from the path of the working directory. */
  projectKey: string;
  sessionId: string;
  /** For an agent's transcript: `subagents/agent-<id>`. Absent: the session's own. */
  subpath?: string;
}

/** One line of a transcript. Most entries have a `uuid`, by which a repeated entry is recognized. */
export interface SessionStoreEntry {
  type: string;
  uuid?: string;
  timestamp?: string;
  [field: string]: unknown;
}

export interface SessionStore {
  /** Called in the order of writing. A rejected call is retried twice; a call that takes longer than 60 s is not. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  /** Returns all entries as they were appended; null if there are none. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  /** Used for `continue`; `mtime` is in ms. */
  listSessions?(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
  /** Returns the agents of a session. Absent: they are not resumed. */
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
}
