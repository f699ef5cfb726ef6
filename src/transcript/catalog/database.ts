/**
 * The catalogue of sessions: a cache over their transcripts in one SQLite file, which may be removed at any time. Whatever is wrong with it, it is
 * made anew, or done without.
 */
import { closeSync, constants, existsSync, fchmodSync, fstatSync, openSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type * as sqlite from "node:sqlite";
import type { DatabaseSync } from "node:sqlite";
import { makeFolders } from "../../lib/make-folders.ts";
import { projectsFolder } from "../paths.ts";
import { fold } from "./terms.ts";

/** `<home>/projects/.index/sessions.sqlite`: what hides transcripts from commands hides it, too. */
export function catalogPath(home: string): string {
  return join(projectsFolder(home), ".index", "sessions.sqlite");
}

/**
 * Another number is another form: the file is made anew. It counts the forms of transcripts' lines, too: what a version took from lines that it
 * did not know stands in the rows for good, as long as their files stay as they are.
 */
const version = 3;
/** ms to wait for another process that writes. */
const patience = 400;

const tables = `
  CREATE TABLE session (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, folder TEXT NOT NULL, size INTEGER NOT NULL, modified REAL NOT NULL,
    read_to INTEGER NOT NULL, mark TEXT NOT NULL, digest TEXT NOT NULL
  );
  CREATE INDEX session_folder ON session (folder);
  CREATE TABLE said (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, text TEXT NOT NULL);
  CREATE INDEX said_session ON said (session);
`;

/** Without positions, it is a fraction of the size; what it finds is looked at again. */
const textIndex = `
  CREATE VIRTUAL TABLE said_index
  USING fts5 (text, content='', detail=none, columnsize=0, tokenize='trigram case_sensitive 1');
`;

/** Undefined where this Node has none. */
function loadSqlite(): typeof sqlite | undefined {
  const own = Object.getOwnPropertyDescriptor(process, "emitWarning") ?? {};
  const emitWarning = process.emitWarning.bind(process);
  // It announces itself as experimental, on stderr, to people who have not asked for it.
  process.emitWarning = (...said: unknown[]): void => {
    if (!String(said[0]).includes("SQLite")) Reflect.apply(emitWarning, undefined, said);
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

/** Undefined where there can be none: no transcripts, no SQLite, no place for it, a lock that lasts. */
export function openCatalog(home: string): DatabaseSync | undefined {
  if (!existsSync(projectsFolder(home))) return undefined;
  const found = loadSqlite();
  if (found === undefined) return undefined;
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      return openAt(found, catalogPath(home));
    } catch (error) {
      if (!isDamage(error)) return undefined;
      if (!removeCatalog(home)) return undefined;
    }
  }
  return undefined;
}

/** The file is of another form than ours. */
export class UnusableCatalog extends Error {}

function openAt({ DatabaseSync: Database }: typeof sqlite, path: string): DatabaseSync {
  const canWrite = prepareFile(path);
  const database = new Database(path, { timeout: patience, readOnly: !canWrite });
  try {
    // What is deleted is gone from the file as well.
    database.exec("PRAGMA secure_delete = ON");
    const found = database.prepare("PRAGMA user_version").get()?.["user_version"];
    const isNew = found === 0 && database.prepare("SELECT 1 FROM sqlite_master").get() === undefined;
    if (isNew) create(database);
    else if (found !== version) throw new UnusableCatalog();
    database.function("fold", { deterministic: true }, (text) => fold(String(text)));
    database.function("has", { deterministic: true }, (text, term) =>
      fold(String(text)).includes(String(term)) ? 1 : 0,
    );
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Nobody else's to read, no link to elsewhere. False: it can only be read. */
function prepareFile(path: string): boolean {
  const flags = constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let descriptor: number;
  let canWrite = true;
  try {
    makeFolders(dirname(path), 0o700);
    descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | flags, 0o600);
  } catch {
    // A home that is read-only may hold one all the same.
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

function create(database: DatabaseSync): void {
  inTransaction(database, () => {
    // Another process may have been quicker.
    if (database.prepare("SELECT 1 FROM sqlite_master").get() !== undefined) return;
    database.exec(`${tables} PRAGMA user_version = ${version}`);
    try {
      database.exec(textIndex);
    } catch (error) {
      // A Node built against another SQLite may lack it: then texts are looked through one by one.
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

/** SQLITE_CORRUPT, SQLITE_NOTADB, and what a file of another form answers (SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_CONSTRAINT). */
const damageCodes = new Set([1, 11, 19, 20, 26]);

/** The file is no use as it is, and a new one may be. */
export function isDamage(error: unknown): boolean {
  if (error instanceof UnusableCatalog) return true;
  const code = codeOf(error);
  return code !== undefined && damageCodes.has(code & 0xff);
}

/** Any other refusal of SQLite: a lock, a full disk, a home that is read-only. */
export function isRefusal(error: unknown): boolean {
  return codeOf(error) !== undefined || isDamage(error);
}

function codeOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode : undefined;
}

/** False where it cannot be removed. */
export function removeCatalog(home: string): boolean {
  try {
    for (const tail of ["", "-journal", "-wal", "-shm"])
      rmSync(`${catalogPath(home)}${tail}`, { force: true, recursive: true });
    return true;
  } catch {
    // Not ours to remove: it is done without.
    return false;
  }
}
