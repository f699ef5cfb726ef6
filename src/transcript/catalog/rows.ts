/** The catalogue's rows about each session, and how they are updated: many sessions in one transaction. */
import type { DatabaseSync } from "node:sqlite";
import { dirname } from "node:path";
import { recordIn } from "../../lib/json-in.ts";
import { isAmount, isText } from "../check.ts";
import type { Digest, Reading } from "../digest.ts";
import type { SessionFile } from "../summary.ts";
import { hasTextIndex, inTransaction, UnusableCatalog } from "./database.ts";
import { between, fold } from "./terms.ts";

export interface Row extends Reading {
  id: number;
  path: string;
  /** Size and time of the file the row was read from; a size of -1 means that it was not read to its end. */
  size: number;
  modified: number;
}

/** A part of a session that is to be written to the catalogue. */
export interface Change {
  file: SessionFile;
  /** How far the catalogue had read before; undefined for a new session. Another process may have changed that since. */
  before: number | undefined;
  /** What the catalogue stored of the session is no longer valid. */
  isAnew: boolean;
  reading: Reading;
  isWhole: boolean;
  texts: readonly string[];
}

export function rowsIn(database: DatabaseSync, folder: string): Map<string, Row> {
  const rows = database.prepare("SELECT * FROM session WHERE folder = ?").all(folder);
  return new Map(rows.flatMap((row) => (typeof row["path"] === "string" ? [[row["path"], rowOf(row)]] : [])));
}

function rowOf(row: Record<string, unknown>): Row {
  return {
    id: Number(row["id"]),
    path: String(row["path"]),
    size: Number(row["size"]),
    modified: Number(row["modified"]),
    readTo: Number(row["read_to"]),
    mark: String(row["mark"]),
    digest: digestOf(String(row["digest"])),
  };
}

const fields: { [K in keyof Digest]-?: (value: unknown) => boolean } = {
  createdAt: isText,
  cwd: isText,
  source: isText,
  gitBranch: isText,
  forkedFrom: isText,
  title: isText,
  tag: (value) => value === null || isText(value),
  archived: (value) => typeof value === "boolean",
  firstPrompt: isText,
  lastPrompt: isText,
  prompts: isAmount,
  unanswered: (value) => Array.isArray(value) && value.every(isText),
};

function digestOf(text: string): Digest {
  const value = recordIn(text);
  const isWhole =
    value?.["prompts"] !== undefined &&
    Object.entries(value).every(([name, each]) => Object.hasOwn(fields, name) && fields[name as keyof Digest](each));
  if (!isWhole) throw new UnusableCatalog();
  return value as object as Digest;
}

/** Returns the paths whose rows now match `changes`; the other rows were changed by another process first. */
export function write(database: DatabaseSync, changes: readonly Change[], gone: readonly Row[]): Set<string> {
  const written = new Set<string>();
  const isIndexed = hasTextIndex(database);
  inTransaction(database, () => {
    for (const { id } of gone) remove(database, id, isIndexed);
    for (const change of changes) if (writeOne(database, change, isIndexed)) written.add(change.file.path);
  });
  return written;
}

function writeOne(database: DatabaseSync, change: Change, isIndexed: boolean): boolean {
  const { file, texts } = change;
  const known = database.prepare("SELECT id, read_to FROM session WHERE path = ?").get(file.path);
  const readTo = known === undefined ? undefined : Number(known["read_to"]);
  if (readTo !== change.before) return false;
  if (known !== undefined && change.isAnew) remove(database, Number(known["id"]), isIndexed);
  const id = put(database, change, change.isAnew || known === undefined ? undefined : Number(known["id"]));
  const insert = database.prepare("INSERT INTO said (session, text) VALUES (?, ?) RETURNING id");
  const index = isIndexed ? database.prepare("INSERT INTO said_index (rowid, text) VALUES (?, fold(?))") : undefined;
  for (const text of joined(texts)) {
    const row = Number(insert.get(id, text)?.["id"]);
    index?.run(row, text);
  }
  return true;
}

/** Fewer, longer rows are indexed in a fraction of the time. */
const rowCharacters = 32_000;

function* joined(texts: readonly string[]): Generator<string> {
  let row: string[] = [];
  let length = 0;
  for (const text of texts) {
    row.push(text);
    length += text.length;
    if (length < rowCharacters) continue;
    yield row.join(between);
    [row, length] = [[], 0];
  }
  if (row.length > 0) yield row.join(between);
}

function put(database: DatabaseSync, { file, reading, isWhole }: Change, id: number | undefined): number {
  const values = [
    file.path,
    dirname(file.path),
    isWhole ? file.sizeBytes : -1,
    file.modifiedAt,
    reading.readTo,
    reading.mark,
    JSON.stringify(reading.digest),
  ] as const;
  if (id !== undefined) {
    database
      .prepare(
        "UPDATE session SET path = ?, folder = ?, size = ?, modified = ?, read_to = ?, mark = ?, digest = ? WHERE id = ?",
      )
      .run(...values, id);
    return id;
  }
  const made = database
    .prepare(
      "INSERT INTO session (path, folder, size, modified, read_to, mark, digest) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .get(...values);
  return Number(made?.["id"]);
}

function remove(database: DatabaseSync, id: number, isIndexed: boolean): void {
  if (isIndexed)
    database
      .prepare(
        "INSERT INTO said_index (said_index, rowid, text) SELECT 'delete', id, fold(text) FROM said WHERE session = ?",
      )
      .run(id);
  database.prepare("DELETE FROM said WHERE session = ?").run(id);
  database.prepare("DELETE FROM session WHERE id = ?").run(id);
}

/** Returns the sessions whose conversation contains `term`, which must be folded. */
export function sessionsSaying(database: DatabaseSync, term: string): Set<number> {
  const grams = hasTextIndex(database) ? gramsOf(term) : "";
  const rows =
    grams === ""
      ? database.prepare("SELECT DISTINCT session FROM said WHERE has(text, ?)").all(term)
      : database
          .prepare(
            "SELECT DISTINCT said.session FROM said_index JOIN said ON said.id = said_index.rowid WHERE said_index MATCH ? AND has(said.text, ?)",
          )
          .all(grams, term);
  return new Set(rows.map((row) => Number(row["session"])));
}

/** Returns a text of the session that contains `term`. */
export function textSaying(database: DatabaseSync, id: number, term: string): string | undefined {
  const row = database.prepare("SELECT text FROM said WHERE session = ? AND has(text, ?) LIMIT 1").get(id, term);
  const texts = typeof row?.["text"] === "string" ? row["text"].split(between) : [];
  return texts.find((text) => fold(text).includes(term));
}

/** Splits a term into the index's units of three characters; empty for a shorter term. */
function gramsOf(term: string): string {
  const characters = Array.from(term);
  const grams = characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(""));
  return [...new Set(grams)].map((gram) => `"${gram.replaceAll('"', '""')}"`).join(" AND ");
}
