/** Parses one line into a record, or says why it cannot. A file may be torn, edited or forged, so every record is checked. */
import { isAbsolute, normalize, sep } from "node:path";
import { maxValueDepth, isDeeperThan } from "../lib/is-deeper.ts";
import type { Message } from "../protocol/index.ts";
import { isPermissionMode } from "../protocol/permission.ts";
import { isAbsentOr, isAmount, isString, type UnknownRecord } from "./predicates.ts";
import { isRecord } from "../lib/is-record.ts";
import { isStringList } from "../lib/is-string-list.ts";
import { checkMessage, isMessageType } from "./check-message.ts";
import { isRunNote } from "./check-run.ts";
import {
  initialUsage,
  clientMark,
  maxClientMarkBytes,
  recordFields,
  recordedMessage,
  recordType,
  type ClientMark,
} from "./line-format.ts";
import {
  notKeptReasons,
  type FactKind,
  type FactRecord,
  type MessageRecord,
  type Snapshot,
  type TranscriptRecord,
} from "./record.ts";

export type ParseResult =
  | { ok: true; record: TranscriptRecord; /** Why messages inside a boundary had to be left out. */ dropped: string[] }
  | {
      ok: false;
      why: string;
      unknown?: undefined;
      /** Set if only the content of the record is unreadable. */ seq?: number;
    }
  | UnknownLine;

/** A record of a kind or form that this version does not know. */
interface UnknownLine {
  ok: false;
  why: string;
  unknown: true;
  /** Its number among the lines of its session, if it has one. */
  seq?: number;
  /** The line may belong to the conversation; otherwise it is a separate fact. */
  isMessage?: true;
  /** A mark that a client added, which is not one of the session's own records. */
  mark?: ClientMark;
}

const unreadable = (why: string): ParseResult => ({ ok: false, why });

function unknownLine(why: string, { v, seq, message }: UnknownRecord): UnknownLine {
  const isMessage = v !== 1 || message !== undefined;
  return { ok: false, why, unknown: true, ...(isMessage ? { isMessage } : {}), ...(isSeq(seq) ? { seq } : {}) };
}

export function parseRecord(line: Buffer): ParseResult {
  let value: unknown;
  try {
    value = JSON.parse(decodeLine(line));
  } catch {
    return unreadable("not JSON");
  }
  if (!isRecord(value)) return unreadable("not an object");
  if (mayBeDeep(line) && isDeeperThan(value, maxRecordDepth)) return unreadable("nested too deep");
  const mark = clientMark(value);
  if (mark !== undefined) {
    const isTooLong = line.length > maxClientMarkBytes;
    return { ok: false, why: "a client's", unknown: true, mark: isTooLong ? {} : mark };
  }
  if (isSeq(value["v"]) && value["v"] > 1) return unknownLine(`of version ${value["v"]}`, value);
  if (value["v"] !== 1) return unreadable("not of version 1");
  const wrong = checkEnvelope(value);
  if (wrong !== undefined) return unreadable(wrong);
  const type = recordType(value);
  if (!isString(type)) return unreadable("no type");
  if (isMessageType(type))
    return withSeq(value, parseMessageRecord(value["type"] === type ? value : { ...value, type }));
  if (Object.hasOwn(factChecks, type)) return withSeq(value, parseFactRecord(value, type as FactKind));
  return unknownLine(`unknown type ${type.slice(0, 40)}`, value);
}

/** Returns the record of a line; undefined if it cannot be read or is longer than allowed. */
export function tryParseRecord(line: Buffer | undefined): TranscriptRecord | undefined {
  const parsed = line === undefined ? undefined : parseRecord(line);
  return parsed?.ok === true ? parsed.record : undefined;
}

function withSeq({ seq }: UnknownRecord, parsed: ParseResult): ParseResult {
  return parsed.ok || !isSeq(seq) ? parsed : { ...parsed, seq };
}

/** Written records are limited by `maxValueDepth`; a line by somebody else could be too deep for the code that reads it. */
const maxRecordDepth = 2 * maxValueDepth;
const openingBytes = [0x7b, 0x5b];

/** Whether the line opens that many objects and lists. */
function mayBeDeep(line: Buffer): boolean {
  if (line.length < 2 * maxRecordDepth) return false;
  let count = 0;
  for (const byte of openingBytes)
    for (let at = line.indexOf(byte); at >= 0 && count <= maxRecordDepth; at = line.indexOf(byte, at + 1)) count += 1;
  return count > maxRecordDepth;
}

/** A power cut can leave NUL bytes before the next line; editors leave CR and a byte order mark. */
function decodeLine(line: Buffer): string {
  let from = 0;
  while (from < line.length && line[from] === 0) from++;
  if (line[from] === 0xef && line[from + 1] === 0xbb && line[from + 2] === 0xbf) from += 3;
  return line.toString("utf8", from);
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function checkEnvelope(value: UnknownRecord): string | undefined {
  if (!isSeq(value["seq"])) return "no seq";
  for (const field of ["uuid", "sessionId", "timestamp", "cwd", "version"]) {
    if (!isString(value[field])) return `no ${field}`;
  }
  if (value["uuid"] === "") return "no uuid";
  if (value["parentUuid"] !== null && !isString(value["parentUuid"])) return "no parentUuid";
  if (value["gitBranch"] !== undefined && !isString(value["gitBranch"])) return "gitBranch";
  return undefined;
}

function parseMessageRecord(value: UnknownRecord): ParseResult {
  const { message: written, ...line } = value;
  if (!isRecord(written)) return unreadable("type and message differ");
  const message = recordedMessage(line, written);
  if (message["type"] !== value["type"]) return unreadable("type and message differ");
  if (message["uuid"] !== value["uuid"]) return unreadable("uuid and message differ");
  const dropped: string[] = [];
  const checked = message["type"] === "compact_boundary" ? withValidMessages(message, dropped) : message;
  const wrong = checkMessage(checked);
  if (wrong !== undefined) return unreadable(wrong);
  const snapshot = validSnapshot(value["snapshot"]);
  const own = recordFields(line);
  const soFar = initialUsage(line, written);
  const record = { ...own, message: checked as unknown as Message, snapshot, soFar } as unknown as MessageRecord;
  return { ok: true, record, dropped };
}

/** Removes invalid messages inside a boundary: the boundary itself stays usable. */
function withValidMessages(boundary: UnknownRecord, dropped: string[]): UnknownRecord {
  const inner = boundary["messages"];
  if (!Array.isArray(inner)) return boundary;
  const seen = new Set<unknown>();
  const messages = inner.filter((message: unknown) => {
    const wrong =
      checkInnerMessage(message) ?? (seen.has((message as UnknownRecord)["uuid"]) ? "a uuid twice" : undefined);
    if (wrong === undefined) seen.add((message as UnknownRecord)["uuid"]);
    else dropped.push(`inside a boundary: ${wrong}`);
    return wrong === undefined;
  });
  return messages.length === inner.length ? boundary : { ...boundary, messages };
}

function checkInnerMessage(message: unknown): string | undefined {
  if (!isRecord(message)) return "not a message";
  return message["type"] === "compact_boundary" ? "a boundary in a boundary" : checkMessage(message);
}

const factChecks: { [K in FactKind]: (data: unknown) => boolean } = {
  session: (data) =>
    isRecord(data) &&
    isString(data["createdAt"]) &&
    isString(data["cwd"]) &&
    ["model", "source", "agentType", "skill", "toolUseId"].every((field) => isAbsentOr(data[field], isString)) &&
    isAbsentOr(data["forkedFrom"], isRecord),
  title: (data) => isRecord(data) && isString(data["title"]),
  tag: (data) => isRecord(data) && (data["tag"] === null || isString(data["tag"])),
  archived: (data) => isRecord(data) && typeof data["archived"] === "boolean",
  model: (data) => isRecord(data) && isString(data["model"]),
  permission_mode: (data) => isRecord(data) && isPermissionMode(data["mode"]),
  agent: (data) => isRecord(data) && isString(data["agent"]),
  ledger: isRecord,
  todos: (data) => Array.isArray(data) || isRecord(data),
  goal: (data) => isRecord(data) && (data["condition"] === null || isString(data["condition"])),
  read_file_state: (data) => Array.isArray(data) || isRecord(data),
  read_file_changes: Array.isArray,
  system_prompt: (data) => data !== null && data !== undefined,
  staged_collapses: Array.isArray,
  windows: isRecord,
  tool_started: (data) => isRecord(data) && isString(data["toolUseId"]),
  file_change: isFileChange,
  run: isRunNote,
  tree_snapshot: (data) => isRecord(data) && Number.isSafeInteger(data["mark"]) && isString(data["messageUuid"]),
};

/** The hash becomes a file name and the path is written to, so both are checked strictly. */
function isFileChange(data: unknown): boolean {
  if (!isRecord(data) || !isString(data["messageUuid"])) return false;
  const { path, hash, mode, notKept, madeFolder } = data;
  if (!isString(path) || !isAbsolute(path) || normalize(path) !== path) return false;
  if (madeFolder !== undefined && !(isString(madeFolder) && path.startsWith(madeFolder + sep))) return false;
  if (hash !== null && !(isString(hash) && /^[0-9a-f]{64}$/.test(hash))) return false;
  if (notKept !== undefined && (hash !== null || !(notKeptReasons as readonly unknown[]).includes(notKept)))
    return false;
  return mode === undefined || (isAmount(mode) && Number.isInteger(mode) && mode <= 0o7777);
}

function parseFactRecord(value: UnknownRecord, kind: FactKind): ParseResult {
  if (!factChecks[kind](value["data"])) return unreadable(`${kind}: data`);
  return { ok: true, record: value as unknown as FactRecord, dropped: [] };
}

/** Keeps the well-formed parts of a boundary's snapshot. */
function validSnapshot(value: unknown): Snapshot | undefined {
  if (!isRecord(value)) return undefined;
  const fields: [keyof Snapshot, FactKind, (value: unknown) => unknown][] = [
    ["title", "title", (title) => ({ title })],
    ["tag", "tag", (tag) => ({ tag })],
    ["archived", "archived", (archived) => ({ archived })],
    ["model", "model", (model) => ({ model })],
    ["permissionMode", "permission_mode", (mode) => ({ mode })],
    ["agent", "agent", (agent) => ({ agent })],
    ["ledger", "ledger", (data) => data],
    ["todos", "todos", (data) => data],
    ["goal", "goal", (data) => data],
    ["readFileState", "read_file_state", (data) => data],
    ["systemPrompt", "system_prompt", (data) => data],
    ["stagedCollapses", "staged_collapses", (data) => data],
    ["windows", "windows", (data) => data],
  ];
  const snapshot: Record<string, unknown> = {};
  for (const [field, kind, wrap] of fields) {
    if (value[field] !== undefined && factChecks[kind](wrap(value[field]))) snapshot[field] = value[field];
  }
  for (const field of ["summedUp", "loadedTools"] as const)
    if (isStringList(value[field])) snapshot[field] = value[field];
  return snapshot as Snapshot;
}
