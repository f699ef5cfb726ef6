/** Sessions in a host's store: what is written here is also appended there, and sessions are resumed from there. */
import { errorText } from "../../lib/error-text.ts";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { isRecord } from "../../lib/is-record.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { belongsToAnyDir, isSessionId, projectSlug, projectsFolder } from "../../transcript/index.ts";
import { settingsPlaces } from "../settings/read-settings.ts";
import { pawlHome } from "../../settings/paths.ts";
import { nodeProcesses } from "../../transcript/process-table.ts";
import { systemClock } from "../../lib/system-clock.ts";
import { makeOwnedFolder, removeAbandonedFolders } from "../surroundings/owned-folder.ts";
import type { EngineOptions } from "../options/options.ts";
import type { SessionKey, SessionStore, SessionStoreEntry } from "../options/host-store.ts";
import { StoreMirror } from "./store-mirror.ts";

const defaultLoadTimeoutMs = 60_000;
const folderPrefix = "pawl-store-";

/** Throws `UsageError` if the store cannot be read, or if nothing will be written that could be appended. */
export async function withSessionStore(options: EngineOptions): Promise<EngineOptions> {
  const {
    sessionStore: store,
    sessionStoreFlush: flush = "batched",
    loadTimeoutMs: limitMs = defaultLoadTimeoutMs,
    ...own
  } = options;
  if (store === undefined) return options;
  if (options.persistSession === false)
    throw new UsageError("sessionStore cannot be combined with persistSession: false, which writes nothing to store.");
  if (typeof store.append !== "function" || typeof store.load !== "function")
    throw new UsageError("sessionStore must have the functions append and load.");
  const places = settingsPlaces(options);
  const { cwd } = places;
  const clock = options.clock ?? systemClock;
  const loading = { store, cwd, projectKey: projectSlug(cwd), limitMs, clock };
  const wanted = await findWantedSession(own, loading);
  const home = wanted === undefined ? undefined : await writeToFiles(wanted, loading);
  const sessionsHome = home ?? places.sessionsHome ?? pawlHome(places.env, places.home);
  const notify = options.onNotice ?? ((): void => undefined);
  const keyOf = (path: string): SessionKey | undefined =>
    sessionKeyFromPath(relative(projectsFolder(sessionsHome), path));
  const mirror = new StoreMirror({ store, keyOf, isEager: flush === "eager", clock, notify });
  const removing = home === undefined ? mirror : withFolderRemoval(mirror, home);
  return {
    ...own,
    ...(home === undefined ? {} : { sessionsHome: home, resume: wanted?.sessionId, continue: false }),
    transcriptMirror: removing,
  };
}

interface LoadContext {
  store: SessionStore;
  cwd: string;
  projectKey: string;
  limitMs: number;
  clock: NonNullable<EngineOptions["clock"]>;
}

interface StoredEntries {
  sessionId: string;
  entries: readonly SessionStoreEntry[];
}

/** Returns undefined if the store does not have the session. */
async function findWantedSession(
  { resume, continue: continuesLatest }: EngineOptions,
  loading: LoadContext,
): Promise<StoredEntries | undefined> {
  if (resume !== undefined) return isSessionId(resume) ? await loadStored(resume, loading) : undefined;
  const { store, projectKey } = loading;
  if (continuesLatest !== true || store.listSessions === undefined) return undefined;
  const listed: unknown = (await withTimeout(() => store.listSessions?.(projectKey), "listSessions", loading)) ?? [];
  if (!Array.isArray(listed) || !listed.every(isListed)) throw unreadableError("listSessions", "sessions");
  const sessions = listed
    .filter(({ sessionId }) => isSessionId(sessionId))
    .toSorted((one, other) => other.mtime - one.mtime);
  for (const { sessionId } of sessions) {
    const stored = await loadStored(sessionId, loading);
    // A store may still list a session whose entries have expired.
    if (stored !== undefined && belongsToFolder(stored, loading)) return stored;
  }
  return undefined;
}

async function loadStored(id: string, loading: LoadContext): Promise<StoredEntries | undefined> {
  const sessionId = id.toLowerCase();
  const entries = await loadEntries(loading.store, { projectKey: loading.projectKey, sessionId }, loading);
  return entries.length === 0 ? undefined : { sessionId, entries };
}

/** Folders whose paths differ only in punctuation share a key. */
function belongsToFolder({ sessionId, entries }: StoredEntries, { cwd, projectKey }: LoadContext): boolean {
  const facts = entries.find(({ type }) => type === "session")?.["data"];
  const recordedCwd = isRecord(facts) && typeof facts["cwd"] === "string" ? facts["cwd"] : undefined;
  return belongsToAnyDir([cwd], { path: join(projectKey, sessionId), cwd: recordedCwd });
}

/** Writes the session to files in a folder of its own. */
async function writeToFiles({ sessionId, entries }: StoredEntries, loading: LoadContext): Promise<string> {
  const { store, projectKey } = loading;
  const key = { projectKey, sessionId };
  removeAbandonedFolders(tmpdir(), folderPrefix, nodeProcesses, systemClock.now());
  const home = makeOwnedFolder(tmpdir(), folderPrefix, nodeProcesses);
  try {
    const folder = join(projectsFolder(home), projectKey);
    writeEntries(join(folder, `${sessionId}.jsonl`), entries);
    const subkeys: unknown = (await withTimeout(() => store.listSubkeys?.(key), "listSubkeys", loading)) ?? [];
    if (!Array.isArray(subkeys)) throw unreadableError("listSubkeys", "names");
    for (const subpath of subkeys.filter(isSubpath)) {
      const below = await loadEntries(store, { ...key, subpath }, loading);
      if (below.length > 0) writeEntries(join(folder, sessionId, `${subpath}.jsonl`), below);
    }
    return home;
  } catch (error) {
    rmSync(home, { recursive: true, force: true });
    throw error;
  }
}

/** Empty if the store has nothing: a store backed by a Map returns undefined. */
async function loadEntries(
  store: SessionStore,
  key: SessionKey,
  loading: LoadContext,
): Promise<readonly SessionStoreEntry[]> {
  const entries: unknown = (await withTimeout(() => store.load(key), "load", loading)) ?? [];
  if (Array.isArray(entries) && entries.every(isRecord)) return entries as SessionStoreEntry[];
  throw unreadableError("load", "entries");
}

/** Only the order of `mtime` matters, so numbers as strings, which some databases return, are accepted. */
function isListed(value: unknown): value is { sessionId: string; mtime: number } {
  return isRecord(value) && typeof value["sessionId"] === "string";
}

function unreadableError(subject: string, expected: string): UsageError {
  return new UsageError(`The session store cannot be read (${subject}): its answer is not a list of ${expected}.`);
}

/** A store's names become file paths: none may lead out of its folder. */
function isSubpath(subpath: unknown): subpath is string {
  return typeof subpath === "string" && /^[\w-]+(?:\/[\w-]+)*$/u.test(subpath) && subpath.length <= 200;
}

/** Stores may return fields in another order, but readers recognize lines by their first fields. */
function writeEntries(path: string, entries: readonly SessionStoreEntry[]): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, entries.map(lineOf).join(""), { mode: 0o600 });
}

function lineOf(entry: SessionStoreEntry): string {
  try {
    const { v, type, ...rest } = entry;
    return `${JSON.stringify({ v, type, ...rest })}\n`;
  } catch (error) {
    const message = `The session store cannot be read (load): its answer is not JSON (${errorText(error)}).`;
    throw new UsageError(message, { cause: error });
  }
}

function sessionKeyFromPath(path: string): SessionKey | undefined {
  const [projectKey = "", session = "", ...below] = path.replace(/\.jsonl$/u, "").split(sep);
  if (projectKey === "" || projectKey === ".." || !isSessionId(session)) return undefined;
  return { projectKey, sessionId: session, ...(below.length === 0 ? {} : { subpath: below.join("/") }) };
}

/** An untyped store may return or throw synchronously. */
async function withTimeout<T>(ask: () => T | Promise<T>, subject: string, { limitMs, clock }: LoadContext): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const stop = clock.timer(limitMs, () => reject(new Error(`it did not answer within ${limitMs} ms`)));
  try {
    return await Promise.race([ask(), late]);
  } catch (error) {
    const why = errorText(error);
    throw new UsageError(`The session store cannot be read (${subject}): ${why}.`, { cause: error });
  } finally {
    stop();
  }
}

function withFolderRemoval(mirror: StoreMirror, home: string): NonNullable<EngineOptions["transcriptMirror"]> {
  return {
    wrote: (path, line) => mirror.wrote(path, line),
    async settled(isLast) {
      await mirror.settled();
      if (isLast) rmSync(home, { recursive: true, force: true });
    },
  };
}
