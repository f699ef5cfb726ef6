import { isRecord } from "../../lib/is-record.ts";
import type { SessionKey, SessionStore, SessionStoreEntry } from "../options/host-store.ts";

interface Kept {
  key: SessionKey;
  entries: SessionStoreEntry[];
  uuids: Set<string>;
  mtime: number;
}

/**
 * Keeps sessions in the memory of this process, for tests and throwaway sessions: `sessionStore: new InMemorySessionStore()`. Entries are
 * copied in and out; an entry whose `uuid` is already stored is skipped.
 */
export class InMemorySessionStore implements SessionStore {
  readonly #sessions = new Map<string, Kept>();
  #lastMs = 0;

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const name = nameOf(key);
    const { projectKey, sessionId, subpath } = key;
    const own = { projectKey, sessionId, ...(subpath === undefined ? {} : { subpath }) };
    const kept = this.#sessions.get(name) ?? { key: own, entries: [], uuids: new Set(), mtime: 0 };
    for (const entry of entries) {
      const { uuid } = isRecord(entry) ? entry : { uuid: undefined };
      if (uuid !== undefined && kept.uuids.has(uuid)) continue;
      if (uuid !== undefined) kept.uuids.add(uuid);
      kept.entries.push(structuredClone(entry));
    }
    // Of two sessions in the same millisecond, the later one must be newer.
    this.#lastMs = Math.max(Date.now(), this.#lastMs + 1);
    kept.mtime = this.#lastMs;
    this.#sessions.set(name, kept);
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const kept = this.#sessions.get(nameOf(key));
    return kept === undefined ? null : structuredClone(kept.entries);
  }

  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    const own = [...this.#sessions.values()].filter(
      ({ key }) => key.projectKey === projectKey && key.subpath === undefined,
    );
    return own.map(({ key, mtime }) => ({ sessionId: key.sessionId, mtime }));
  }

  async listSubkeys({ projectKey, sessionId }: { projectKey: string; sessionId: string }): Promise<string[]> {
    const isBelow = ({ key }: Kept): boolean => key.projectKey === projectKey && key.sessionId === sessionId;
    return [...this.#sessions.values()].filter(isBelow).flatMap(({ key }) => key.subpath ?? []);
  }

  /** Deleting a session also deletes its agents' transcripts. */
  async delete(key: SessionKey): Promise<void> {
    const { projectKey, sessionId, subpath } = key;
    for (const [name, { key: each }] of this.#sessions) {
      const isOfSession = each.projectKey === projectKey && each.sessionId === sessionId;
      if (isOfSession && (subpath === undefined || each.subpath === subpath)) this.#sessions.delete(name);
    }
  }
}

function nameOf({ projectKey, sessionId, subpath }: SessionKey): string {
  return JSON.stringify([projectKey, sessionId, subpath ?? null]);
}
