/**
 * Lists and searches sessions, through the catalogue if there is one: then only what was added to each transcript since the last time is
 * read. The transcripts are authoritative; without a catalogue the answer is the same but takes longer.
 */
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { readDigest, type Digest, type DigestReading } from "../session-digest.ts";
import { TranscriptError } from "../error.ts";
import { reasonOf, systemCode } from "../../lib/system-reason.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "../file-system.ts";
import { sessionFiles } from "../list-sessions.ts";
import type { SessionFile } from "../summary.ts";
import { hasCatalog, isCatalogDamage, isSqliteError, openCatalog, removeCatalog } from "./database.ts";
import {
  readRows,
  sessionsContaining,
  textContaining,
  writeChanges,
  type CatalogChange,
  type CatalogRow,
} from "./rows.ts";
import { foldText, TermSearch, parseTerms } from "./terms.ts";

export interface CatalogOptions {
  /** `$PAWL_HOME`. */
  home: string;
  /** Folders of transcripts. */
  folders: readonly string[];
  /** Words and "phrases" that must all occur in the conversation, the title or the tag. */
  search?: string;
  /** Awaited after every few megabytes, so that other work in the process can go on. */
  pause?: () => Promise<void>;
  /** Called with one line about each file or folder that exists but cannot be read. */
  passedOver?: (text: string) => void;
  fs?: TranscriptFileSystem;
}

export interface CatalogEntry extends SessionFile, Digest {
  /** The text that the search found, in one line. */
  match?: string;
}

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Returns the sessions, the one with the newest message first. Files and folders that cannot be read are ignored. */
export async function readCatalog(options: CatalogOptions): Promise<CatalogEntry[]> {
  for (let attempt = 0; attempt < 2; attempt++) {
    const database = openCatalog(options.home);
    if (database === undefined) break;
    try {
      return await new CatalogReader(options, database).run();
    } catch (error) {
      if (!isSqliteError(error)) throw error;
      // The catalogue is unusable: try once more with a new one, otherwise without.
      if (!isCatalogDamage(error) || !removeCatalog(options.home)) break;
    } finally {
      database.close();
    }
  }
  return await new CatalogReader(options, undefined).run();
}

/** Texts are held back and written in batches: after this many characters or sessions. */
const batchCharacters = 4_000_000;
const batchSessions = 200;
const pauseBytes = 2 * 1024 * 1024;

interface SurveyedSession {
  file: SessionFile;
  digest: Digest;
  search: TermSearch | undefined;
}

class CatalogReader {
  readonly #options: CatalogOptions;
  readonly #fs: TranscriptFileSystem;
  readonly #terms: readonly string[];
  readonly #pause: () => Promise<void>;
  #database: DatabaseSync | undefined;
  /** Paths whose catalogue entry is up to date. */
  readonly #fresh = new Set<string>();
  #changes: CatalogChange[] = [];
  #queuedCharacters = 0;
  #bytesSincePause = 0;
  /** A write was refused, so later parts of the same sessions would not fit. */
  #hasWriteFailed = false;

  constructor(options: CatalogOptions, database: DatabaseSync | undefined) {
    this.#options = options;
    this.#database = database;
    this.#fs = options.fs ?? nodeFileSystem;
    this.#terms = parseTerms(options.search ?? "");
    this.#pause = options.pause ?? nextTick;
  }

  async run(): Promise<CatalogEntry[]> {
    const all: SurveyedSession[] = [];
    for (const folder of this.#options.folders) {
      const files = this.#filesIn(folder);
      if (files === undefined) continue;
      const rows = this.#database === undefined ? new Map<string, CatalogRow>() : readRows(this.#database, folder);
      for (const file of files) {
        const known = await this.#surveyFile(file, rows.get(file.path));
        if (known !== undefined) all.push(known);
      }
      const presentPaths = new Set(files.map(({ path }) => path));
      this.#flush([...rows.values()].filter(({ path }) => !presentPaths.has(path)));
    }
    const entries = this.#terms.length === 0 ? all.map(toCatalogEntry) : await this.#findMatches(all);
    return entries.sort(
      (one, other) =>
        lastUseOf(other) - lastUseOf(one) ||
        other.modifiedAt - one.modifiedAt ||
        one.sessionId.localeCompare(other.sessionId),
    );
  }

  #filesIn(folder: string): SessionFile[] | undefined {
    try {
      return sessionFiles(this.#fs, folder);
    } catch (error) {
      this.#reportSkipped(folder, error);
      return undefined;
    }
  }

  /** Rethrows errors that are not the file's fault. */
  #reportSkipped(path: string, error: unknown): void {
    const code = systemCode(error);
    if (error instanceof TranscriptError) this.#options.passedOver?.(error.message);
    else if (code === undefined) throw error;
    else if (code !== "ENOENT") this.#options.passedOver?.(`${path} was ignored: ${reasonOf(error)}.`);
  }

  /** Undefined if the file is gone or cannot be read. */
  async #surveyFile(file: SessionFile, row: CatalogRow | undefined): Promise<SurveyedSession | undefined> {
    if (row !== undefined && row.size === file.sizeBytes && row.modified === file.modifiedAt) {
      this.#fresh.add(file.path);
      return { file, digest: row.digest, search: undefined };
    }
    try {
      return await this.#read(file, row);
    } catch (error) {
      this.#reportSkipped(file.path, error);
      return undefined;
    }
  }

  async #read(file: SessionFile, row: CatalogRow | undefined): Promise<SurveyedSession> {
    // Without a catalogue the texts are not stored, so the search runs while reading.
    const search = this.#database === undefined && this.#terms.length > 0 ? new TermSearch(this.#terms) : undefined;
    let [texts, isReplacement, before]: [string[], boolean, number | undefined] = [[], false, row?.readTo];
    const takeText = (text: string): void => {
      search?.scan(text);
      if (this.#database !== undefined) texts.push(text);
    };
    const steps = readDigest(
      this.#fs,
      { path: file.path, size: file.sizeBytes, earlier: row },
      { onText: takeText, onRestart: () => (isReplacement = true) },
    );
    for (;;) {
      const step = steps.next();
      const reading: DigestReading = step.value;
      await this.#queueChange({ file, before, isReplacement, reading, isWhole: step.done === true, texts });
      if (step.done === true) return { file, digest: reading.digest, search };
      [texts, isReplacement, before] = [[], false, reading.readTo];
    }
  }

  async #queueChange(change: CatalogChange): Promise<void> {
    if (this.#database !== undefined) this.#changes.push(change);
    this.#queuedCharacters += change.texts.reduce((sum, text) => sum + text.length, 0);
    if (this.#queuedCharacters >= batchCharacters || this.#changes.length >= batchSessions) this.#flush([]);
    this.#bytesSincePause += change.reading.readTo - (change.before ?? 0) + 10_000;
    if (this.#bytesSincePause < pauseBytes) return;
    this.#bytesSincePause = 0;
    await this.#pause();
  }

  /** Writes the queued changes. If that fails, this call's answer is still complete. */
  #flush(removedRows: readonly CatalogRow[]): void {
    const [database, changes] = [this.#database, this.#changes];
    [this.#changes, this.#queuedCharacters] = [[], 0];
    if (database === undefined || this.#hasWriteFailed || changes.length + removedRows.length === 0) return;
    try {
      const written = writeChanges(database, changes, removedRows);
      for (const { file, isWhole } of changes) if (isWhole && written.has(file.path)) this.#fresh.add(file.path);
    } catch (error) {
      if (!isSqliteError(error) || isCatalogDamage(error)) throw error;
      this.#hasWriteFailed = true;
    }
  }

  async #findMatches(sessions: readonly SurveyedSession[]): Promise<CatalogEntry[]> {
    const database = this.#database;
    const ids = new Map<string, number>();
    const sessionsByTerm = new Map<string, Set<number>>();
    if (database !== undefined) {
      for (const folder of this.#options.folders)
        for (const { id, path } of readRows(database, folder).values()) if (this.#fresh.has(path)) ids.set(path, id);
      for (const term of this.#terms) sessionsByTerm.set(term, sessionsContaining(database, term));
    }
    const found: CatalogEntry[] = [];
    for (const known of sessions) {
      const id = ids.get(known.file.path);
      const search =
        database !== undefined && id !== undefined
          ? this.#searchInCatalog(database, id, known, sessionsByTerm)
          : (known.search ?? (await this.#searchInTranscript(known.file)));
      for (const name of [known.digest.title, known.digest.tag]) search.scan(name ?? "");
      if (!search.isDone) continue;
      found.push({ ...toCatalogEntry(known), ...(search.snippet === undefined ? {} : { match: search.snippet }) });
    }
    return found;
  }

  /** Returns a search that has already scanned what the catalogue knows. */
  #searchInCatalog(
    database: DatabaseSync,
    id: number,
    { digest }: SurveyedSession,
    sessionsByTerm: ReadonlyMap<string, Set<number>>,
  ): TermSearch {
    const names = foldText(`${digest.title ?? ""}\n${digest.tag ?? ""}`);
    const search = new TermSearch(this.#terms);
    const containsTerm = (term: string): boolean => sessionsByTerm.get(term)?.has(id) === true;
    // Load texts for the snippet only if every term occurs: only then is the session shown.
    if (!this.#terms.every((term) => containsTerm(term) || names.includes(term))) return search;
    for (const term of this.#terms) if (containsTerm(term)) search.scan(textContaining(database, id, term) ?? "");
    return search;
  }

  /** Searches the transcript itself: another process was quicker to write the catalogue, or nothing could be written. */
  async #searchInTranscript(file: SessionFile): Promise<TermSearch> {
    const search = new TermSearch(this.#terms);
    const about = { path: file.path, size: file.sizeBytes, earlier: undefined };
    try {
      for (const _ of readDigest(this.#fs, about, { onText: (text) => search.scan(text), onRestart: () => undefined }))
        await this.#pause();
    } catch (error) {
      if (!(error instanceof TranscriptError) && systemCode(error) === undefined) throw error;
    }
    return search;
  }
}

/** ms since the epoch. A copied, restored or renamed session has a newer file, but nothing newer was said in it. */
export function lastUseOf({ lastMessageAt, modifiedAt }: Pick<CatalogEntry, "lastMessageAt" | "modifiedAt">): number {
  return lastMessageAt ?? modifiedAt;
}

function toCatalogEntry({ file, digest }: SurveyedSession): CatalogEntry {
  return { ...file, ...digest };
}

/** Removes the catalogue and rebuilds it; returns the number of sessions in it. Undefined if it cannot hold them all now. */
export async function rebuildCatalog(options: Omit<CatalogOptions, "search">): Promise<number | undefined> {
  const isRemoved = removeCatalog(options.home);
  const { length } = await readCatalog(options);
  const database = openCatalog(options.home);
  try {
    const rowCounts = options.folders.map((folder) => (database === undefined ? 0 : readRows(database, folder).size));
    const isComplete = rowCounts.reduce((sum, count) => sum + count, 0) >= length;
    return isRemoved && isComplete ? length : undefined;
  } finally {
    database?.close();
  }
}

/** Removes a deleted session's texts from the catalogue. If that cannot be done now, the next list does it. */
export function forgetSession(home: string, path: string): void {
  if (!hasCatalog(home)) return;
  const database = openCatalog(home);
  if (database === undefined) return;
  try {
    writeChanges(
      database,
      [],
      [...readRows(database, dirname(path)).values()].filter((row) => row.path === path),
    );
  } catch (error) {
    if (!isSqliteError(error)) throw error;
  } finally {
    database.close();
  }
}
