/**
 * The catalogue of sessions: a cache over their transcripts in one SQLite file, which may be removed at any time. If anything is wrong with
 * it, it is rebuilt, or not used.
 */
import { closeSync, constants, existsSync, fchmodSync, fstatSync, openSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type * as sqlite from "node:sqlite";
import type { DatabaseSync } from "node:sqlite";
import { makeFolders } from "../../lib/make-folders.ts";
import { projectsFolder } from "../paths.ts";
import { foldText } from "./terms.ts";

/** `<home>/projects/.index/sessions.sqlite`: lies among the transcripts, so whatever hides those from commands hides it too. */
export function catalogPath(home: string): string {
  return join(projectsFolder(home), ".index", "sessions.sqlite");
}

/**
 * The version of the file's form; a file with another number is rebuilt. Also increased when the form of transcript lines changes: rows
 * keep what a version understood of lines it did not know, for as long as their files do not change.
 */
const formatVersion = 5;
/** How long to wait for another process that is writing, ms. */
const busyTimeoutMs = 400;

const tableSchema = `
  CREATE TABLE session (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, folder TEXT NOT NULL, size INTEGER NOT NULL, modified REAL NOT NULL,
    read_to INTEGER NOT NULL, mark TEXT NOT NULL, digest TEXT NOT NULL
  );
  CREATE INDEX session_folder ON session (folder);
  CREATE TABLE said (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, text TEXT NOT NULL);
  CREATE INDEX said_session ON said (session);
`;

/** Without positions, the index is a fraction of the size; its matches are checked against the text. */
const textIndexSchema = `
  CREATE VIRTUAL TABLE said_index
  USING fts5 (text, content='', detail=none, columnsize=0, tokenize='trigram case_sensitive 1');
`;

/** Undefined if this Node.js has no SQLite. */
function loadSqlite(): typeof sqlite | undefined {
  const own = Object.getOwnPropertyDescriptor(process, "emitWarning") ?? {};
  const emitWarning = process.emitWarning.bind(process);
  // On load it prints an "experimental" warning to stderr, which is of no use to users.
  process.emitWarning = (...words: unknown[]): void => {
    if (!String(words[0]).includes("SQLite")) Reflect.apply(emitWarning, undefined, words);
  };
  try {
    return process.getBuiltinModule("node:sqlite") as typeof sqlite | undefined;
  } finally {
    Object.defineProperty(process, "emitWarning", own);
  }
}

export function hasCatalog(home: string): boolean {
  return existsSync(catalogPath(home));
}

/** Undefined if there can be no catalogue: no transcripts, no SQLite, no place to write, or a lasting lock. */
export function openCatalog(home: string): DatabaseSync | undefined {
  if (!existsSync(projectsFolder(home))) return undefined;
  const found = loadSqlite();
  if (found === undefined) return undefined;
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      return openDatabase(found, catalogPath(home));
    } catch (error) {
      if (!isCatalogDamage(error) || !removeCatalog(home)) return undefined;
    }
  }
  return undefined;
}

/** The file does not have the form this version uses. */
export class UnusableCatalog extends Error {}

function openDatabase({ DatabaseSync: Database }: typeof sqlite, path: string): DatabaseSync {
  const canWrite = prepareFile(path);
  const database = new Database(path, { timeout: busyTimeoutMs, readOnly: !canWrite });
  try {
    // Deleted text must be erased from the file as well.
    database.exec("PRAGMA secure_delete = ON");
    const found = database.prepare("PRAGMA user_version").get()?.["user_version"];
    const isNew = found === 0 && database.prepare("SELECT 1 FROM sqlite_master").get() === undefined;
    if (isNew) createTables(database);
    else if (found !== formatVersion) throw new UnusableCatalog();
    database.function("fold", { deterministic: true }, (text) => foldText(String(text)));
    database.function("has", { deterministic: true }, (text, term) =>
      foldText(String(text)).includes(String(term)) ? 1 : 0,
    );
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Makes sure that only this user can read the file and that it is not a link. False: it can only be read. */
function prepareFile(path: string): boolean {
  const flags = constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let descriptor: number;
  let canWrite = true;
  try {
    makeFolders(dirname(path), 0o700);
    descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | flags, 0o600);
  } catch {
    // A read-only home may still contain a catalogue.
    descriptor = openSync(path, constants.O_RDONLY | flags);
    canWrite = false;
  }
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new Error(`${path} is no file.`);
    if (canWrite && (status.mode & 0o077) !== 0) fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
  return canWrite;
}

function createTables(database: DatabaseSync): void {
  inTransaction(database, () => {
    // Another process may have created it first.
    if (database.prepare("SELECT 1 FROM sqlite_master").get() !== undefined) return;
    database.exec(`${tableSchema} PRAGMA user_version = ${formatVersion}`);
    try {
      database.exec(textIndexSchema);
    } catch (error) {
      // A Node.js built against another SQLite may lack FTS5: texts are then searched one by one.
      if (!String(error).includes("fts5")) throw error;
    }
  });
}

export function hasTextIndex(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'said_index'").get() !== undefined;
}

export function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec("BEGIN IMMEDIATE");
  let isDone = false;
  try {
    work();
    database.exec("COMMIT");
    isDone = true;
  } finally {
    if (!isDone && database.isTransaction) database.exec("ROLLBACK");
  }
}

/** SQLITE_CORRUPT, SQLITE_NOTADB, and the errors of a file with another form (SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_CONSTRAINT). */
const damageCodes = new Set([1, 11, 19, 20, 26]);

/** The file is unusable, but a new one may work. */
export function isCatalogDamage(error: unknown): boolean {
  if (error instanceof UnusableCatalog) return true;
  const code = sqliteErrorCode(error);
  return code !== undefined && damageCodes.has(code & 0xff);
}

/** Whether SQLite refused for any reason: damage, a lock, a full disk, a read-only home. */
export function isSqliteError(error: unknown): boolean {
  return sqliteErrorCode(error) !== undefined || isCatalogDamage(error);
}

function sqliteErrorCode(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode : undefined;
}

/** False if the catalogue cannot be removed. */
export function removeCatalog(home: string): boolean {
  try {
    for (const tail of ["", "-journal", "-wal", "-shm"])
      rmSync(`${catalogPath(home)}${tail}`, { force: true, recursive: true });
    return true;
  } catch {
    // It may not be removed by this user, so the session list does without it.
    return false;
  }
}
