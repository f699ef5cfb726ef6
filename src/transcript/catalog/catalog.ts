/**
 * Lists and searches sessions, through the catalogue if there is one: then only what was added to each transcript since the last time is
 * read. The transcripts are authoritative; without a catalogue the answer is the same but takes longer.
 */
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { readDigest, type Digest, type Reading } from "../digest.ts";
import { TranscriptError } from "../error.ts";
import { reasonOf, systemCode } from "../../lib/system-reason.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "../file-system.ts";
import { sessionFiles } from "../list.ts";
import type { SessionFile } from "../summary.ts";
import { hasCatalog, isDamage, isRefusal, openCatalog, removeCatalog } from "./database.ts";
import { rowsIn, sessionsSaying, textSaying, write, type Change, type Row } from "./rows.ts";
import { fold, TermHunt, termsOf } from "./terms.ts";

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

/** Returns the sessions, newest first. Files and folders that cannot be read are ignored. */
export async function readCatalog(options: CatalogOptions): Promise<CatalogEntry[]> {
  for (let attempt = 0; attempt < 2; attempt++) {
    const database = openCatalog(options.home);
    if (database === undefined) break;
    try {
      return await new Survey(options, database).run();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // The catalogue is unusable: try once more with a new one, otherwise without.
      if (!isDamage(error) || !removeCatalog(options.home)) break;
    } finally {
      database.close();
    }
  }
  return await new Survey(options, undefined).run();
}

/** Texts are held back and written in batches: after this many characters or sessions. */
const batchCharacters = 4_000_000;
const batchSessions = 200;
const pauseBytes = 2 * 1024 * 1024;

interface Known {
  file: SessionFile;
  digest: Digest;
  hunt: TermHunt | undefined;
}

class Survey {
  readonly #options: CatalogOptions;
  readonly #fs: TranscriptFileSystem;
  readonly #terms: readonly string[];
  readonly #pause: () => Promise<void>;
  #database: DatabaseSync | undefined;
  /** Paths whose catalogue entry is up to date. */
  readonly #fresh = new Set<string>();
  #changes: Change[] = [];
  #held = 0;
  #unpaused = 0;
  /** A write was refused, so later parts of the same sessions would not fit. */
  #isRefused = false;

  constructor(options: CatalogOptions, database: DatabaseSync | undefined) {
    this.#options = options;
    this.#database = database;
    this.#fs = options.fs ?? nodeFileSystem;
    this.#terms = termsOf(options.search ?? "");
    this.#pause = options.pause ?? nextTick;
  }

  async run(): Promise<CatalogEntry[]> {
    const all: Known[] = [];
    for (const folder of this.#options.folders) {
      const files = this.#filesIn(folder);
      if (files === undefined) continue;
      const rows = this.#database === undefined ? new Map<string, Row>() : rowsIn(this.#database, folder);
      for (const file of files) {
        const known = await this.#look(file, rows.get(file.path));
        if (known !== undefined) all.push(known);
      }
      const there = new Set(files.map(({ path }) => path));
      this.#flush([...rows.values()].filter(({ path }) => !there.has(path)));
    }
    const entries = this.#terms.length === 0 ? all.map(entryOf) : await this.#matching(all);
    return entries.sort(
      (one, other) => other.modifiedAt - one.modifiedAt || one.sessionId.localeCompare(other.sessionId),
    );
  }

  #filesIn(folder: string): SessionFile[] | undefined {
    try {
      return sessionFiles(this.#fs, folder);
    } catch (error) {
      this.#passOver(folder, error);
      return undefined;
    }
  }

  /** Rethrows errors that are not the file's fault. */
  #passOver(path: string, error: unknown): void {
    const code = systemCode(error);
    if (error instanceof TranscriptError) this.#options.passedOver?.(error.message);
    else if (code === undefined) throw error;
    else if (code !== "ENOENT") this.#options.passedOver?.(`${path} was ignored: ${reasonOf(error)}.`);
  }

  /** Undefined if the file is gone or cannot be read. */
  async #look(file: SessionFile, row: Row | undefined): Promise<Known | undefined> {
    if (row !== undefined && row.size === file.sizeBytes && row.modified === file.modifiedAt) {
      this.#fresh.add(file.path);
      return { file, digest: row.digest, hunt: undefined };
    }
    try {
      return await this.#read(file, row);
    } catch (error) {
      this.#passOver(file.path, error);
      return undefined;
    }
  }

  async #read(file: SessionFile, row: Row | undefined): Promise<Known> {
    // Without a catalogue the texts are not stored, so the search runs while reading.
    const hunt = this.#database === undefined && this.#terms.length > 0 ? new TermHunt(this.#terms) : undefined;
    let [texts, isAnew, before]: [string[], boolean, number | undefined] = [[], false, row?.readTo];
    const told = (text: string): void => {
      hunt?.look(text);
      if (this.#database !== undefined) texts.push(text);
    };
    const steps = readDigest(
      this.#fs,
      { path: file.path, size: file.sizeBytes, earlier: row },
      { told, isAnew: () => (isAnew = true) },
    );
    for (;;) {
      const step = steps.next();
      const reading: Reading = step.value;
      await this.#hold({ file, before, isAnew, reading, isWhole: step.done === true, texts });
      if (step.done === true) return { file, digest: reading.digest, hunt };
      [texts, isAnew, before] = [[], false, reading.readTo];
    }
  }

  async #hold(change: Change): Promise<void> {
    if (this.#database !== undefined) this.#changes.push(change);
    this.#held += change.texts.reduce((sum, text) => sum + text.length, 0);
    if (this.#held >= batchCharacters || this.#changes.length >= batchSessions) this.#flush([]);
    this.#unpaused += change.reading.readTo - (change.before ?? 0) + 10_000;
    if (this.#unpaused < pauseBytes) return;
    this.#unpaused = 0;
    await this.#pause();
  }

  /** Writes the held changes. If that fails, this call's answer is still complete. */
  #flush(gone: readonly Row[]): void {
    const [database, changes] = [this.#database, this.#changes];
    [this.#changes, this.#held] = [[], 0];
    if (database === undefined || this.#isRefused || changes.length + gone.length === 0) return;
    try {
      const written = write(database, changes, gone);
      for (const { file, isWhole } of changes) if (isWhole && written.has(file.path)) this.#fresh.add(file.path);
    } catch (error) {
      if (!isRefusal(error) || isDamage(error)) throw error;
      this.#isRefused = true;
    }
  }

  async #matching(all: readonly Known[]): Promise<CatalogEntry[]> {
    const database = this.#database;
    const ids = new Map<string, number>();
    const saying = new Map<string, Set<number>>();
    if (database !== undefined) {
      for (const folder of this.#options.folders)
        for (const { id, path } of rowsIn(database, folder).values()) if (this.#fresh.has(path)) ids.set(path, id);
      for (const term of this.#terms) saying.set(term, sessionsSaying(database, term));
    }
    const found: CatalogEntry[] = [];
    for (const known of all) {
      const id = ids.get(known.file.path);
      const hunt =
        database !== undefined && id !== undefined
          ? this.#asked(database, id, known, saying)
          : (known.hunt ?? (await this.#listen(known.file)));
      for (const name of [known.digest.title, known.digest.tag]) hunt.look(name ?? "");
      if (!hunt.isDone) continue;
      found.push({ ...entryOf(known), ...(hunt.snippet === undefined ? {} : { match: hunt.snippet }) });
    }
    return found;
  }

  /** Returns a hunt that has already looked at what the catalogue knows. */
  #asked(database: DatabaseSync, id: number, { digest }: Known, saying: ReadonlyMap<string, Set<number>>): TermHunt {
    const names = fold(`${digest.title ?? ""}\n${digest.tag ?? ""}`);
    const hunt = new TermHunt(this.#terms);
    const isSaid = (term: string): boolean => saying.get(term)?.has(id) === true;
    // Load texts for the snippet only if every term occurs: only then is the session shown.
    if (!this.#terms.every((term) => isSaid(term) || names.includes(term))) return hunt;
    for (const term of this.#terms) if (isSaid(term)) hunt.look(textSaying(database, id, term) ?? "");
    return hunt;
  }

  /** Searches the transcript itself: another process was quicker to write the catalogue, or nothing could be written. */
  async #listen(file: SessionFile): Promise<TermHunt> {
    const hunt = new TermHunt(this.#terms);
    const about = { path: file.path, size: file.sizeBytes, earlier: undefined };
    try {
      for (const _ of readDigest(this.#fs, about, { told: (text) => hunt.look(text), isAnew: () => undefined }))
        await this.#pause();
    } catch (error) {
      if (!(error instanceof TranscriptError) && systemCode(error) === undefined) throw error;
    }
    return hunt;
  }
}

function entryOf({ file, digest }: Known): CatalogEntry {
  return { ...file, ...digest };
}

/** Removes the catalogue and rebuilds it; returns the number of sessions in it. */
export async function rebuildCatalog(options: Omit<CatalogOptions, "search">): Promise<number> {
  removeCatalog(options.home);
  return (await readCatalog(options)).length;
}

/** Removes a deleted session's texts from the catalogue. If that cannot be done now, the next list does it. */
export function forgetSession(home: string, path: string): void {
  if (!hasCatalog(home)) return;
  const database = openCatalog(home);
  if (database === undefined) return;
  try {
    write(
      database,
      [],
      [...rowsIn(database, dirname(path)).values()].filter((row) => row.path === path),
    );
  } catch (error) {
    if (!isRefusal(error)) throw error;
  } finally {
    database.close();
  }
}
