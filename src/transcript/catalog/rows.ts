/** The catalogue's rows about each session, and how they are updated: many sessions in one transaction. */
import type { DatabaseSync } from "node:sqlite";
import { dirname } from "node:path";
import { tryParseRecord } from "../../lib/try-parse-json.ts";
import { isStringList } from "../../lib/is-string-list.ts";
import { isAmount, isString } from "../predicates.ts";
import type { Digest, DigestReading } from "../session-digest.ts";
import type { SessionFile } from "../summary.ts";
import { hasTextIndex, inTransaction, UnusableCatalog } from "./database.ts";
import { textSeparator, foldText } from "./terms.ts";

export interface CatalogRow extends DigestReading {
  id: number;
  path: string;
  /** Size and time of the file the row was read from; a size of -1 means that it was not read to its end. */
  size: number;
  modified: number;
}

/** A part of a session that is to be written to the catalogue. */
export interface CatalogChange {
  file: SessionFile;
  /** How far the catalogue had read before; undefined for a new session. Another process may have changed that since. */
  before: number | undefined;
  /** What the catalogue stored of the session is no longer valid. */
  isReplacement: boolean;
  reading: DigestReading;
  isWhole: boolean;
  texts: readonly string[];
}

export function readRows(database: DatabaseSync, folder: string): Map<string, CatalogRow> {
  const rows = database.prepare("SELECT * FROM session WHERE folder = ?").all(folder);
  return new Map(rows.flatMap((row) => (typeof row["path"] === "string" ? [[row["path"], toRow(row)]] : [])));
}

function toRow(row: Record<string, unknown>): CatalogRow {
  return {
    id: Number(row["id"]),
    path: String(row["path"]),
    size: Number(row["size"]),
    modified: Number(row["modified"]),
    readTo: Number(row["read_to"]),
    mark: String(row["mark"]),
    digest: parseDigest(String(row["digest"])),
  };
}

const digestFieldChecks: { [K in keyof Digest]-?: (value: unknown) => boolean } = {
  createdAt: isString,
  cwd: isString,
  source: isString,
  gitBranch: isString,
  forkedFrom: isString,
  title: isString,
  tag: (value) => value === null || isString(value),
  archived: (value) => typeof value === "boolean",
  firstPrompt: isString,
  lastPrompt: isString,
  lastMessageAt: isAmount,
  prompts: isAmount,
  unanswered: isStringList,
};

function parseDigest(text: string): Digest {
  const value = tryParseRecord(text);
  const isWhole =
    value?.["prompts"] !== undefined &&
    Object.entries(value).every(
      ([name, each]) => Object.hasOwn(digestFieldChecks, name) && digestFieldChecks[name as keyof Digest](each),
    );
  if (!isWhole) throw new UnusableCatalog();
  return value as object as Digest;
}

/** Returns the paths whose rows now match `changes`; the other rows were changed by another process first. */
export function writeChanges(
  database: DatabaseSync,
  changes: readonly CatalogChange[],
  removedRows: readonly CatalogRow[],
): Set<string> {
  const written = new Set<string>();
  const isIndexed = hasTextIndex(database);
  inTransaction(database, () => {
    for (const { id } of removedRows) deleteSession(database, id, isIndexed);
    for (const change of changes) if (writeChange(database, change, isIndexed)) written.add(change.file.path);
  });
  return written;
}

function writeChange(database: DatabaseSync, change: CatalogChange, isIndexed: boolean): boolean {
  const { file, texts } = change;
  const known = database.prepare("SELECT id, read_to FROM session WHERE path = ?").get(file.path);
  const readTo = known === undefined ? undefined : Number(known["read_to"]);
  if (readTo !== change.before) return false;
  if (known !== undefined && change.isReplacement) deleteSession(database, Number(known["id"]), isIndexed);
  const id = upsertSession(
    database,
    change,
    change.isReplacement || known === undefined ? undefined : Number(known["id"]),
  );
  const insert = database.prepare("INSERT INTO said (session, text) VALUES (?, ?) RETURNING id");
  const index = isIndexed ? database.prepare("INSERT INTO said_index (rowid, text) VALUES (?, fold(?))") : undefined;
  for (const text of joinTexts(texts)) {
    const row = Number(insert.get(id, text)?.["id"]);
    index?.run(row, text);
  }
  return true;
}

/** Fewer, longer rows are indexed in a fraction of the time. */
const rowCharacters = 32_000;

function* joinTexts(texts: readonly string[]): Generator<string> {
  let row: string[] = [];
  let length = 0;
  for (const text of texts) {
    row.push(text);
    length += text.length;
    if (length < rowCharacters) continue;
    yield row.join(textSeparator);
    [row, length] = [[], 0];
  }
  if (row.length > 0) yield row.join(textSeparator);
}

function upsertSession(
  database: DatabaseSync,
  { file, reading, isWhole }: CatalogChange,
  id: number | undefined,
): number {
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
  const row = database
    .prepare(
      "INSERT INTO session (path, folder, size, modified, read_to, mark, digest) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .get(...values);
  return Number(row?.["id"]);
}

function deleteSession(database: DatabaseSync, id: number, isIndexed: boolean): void {
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
export function sessionsContaining(database: DatabaseSync, term: string): Set<number> {
  const grams = hasTextIndex(database) ? trigramQuery(term) : "";
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
export function textContaining(database: DatabaseSync, id: number, term: string): string | undefined {
  const row = database.prepare("SELECT text FROM said WHERE session = ? AND has(text, ?) LIMIT 1").get(id, term);
  const texts = typeof row?.["text"] === "string" ? row["text"].split(textSeparator) : [];
  return texts.find((text) => foldText(text).includes(term));
}

/** Splits a term into the index's units of three characters; empty for a shorter term. */
function trigramQuery(term: string): string {
  const characters = Array.from(term);
  const grams = characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(""));
  return [...new Set(grams)].map((gram) => `"${gram.replaceAll('"', '""')}"`).join(" AND ");
}
