/** Parses one line into a record, or says why it cannot. A file may be torn, edited or forged, so every record is checked. */
import { isAbsolute, normalize, sep } from "node:path";
import { deepestValue, isDeeperThan } from "../lib/is-deeper.ts";
import type { Message } from "../protocol/index.ts";
import { isAmount, isPermissionMode, isText, isTexts, type Thing } from "./check.ts";
import { isRecord } from "../lib/is-record.ts";
import { checkMessage, isMessageType } from "./check-message.ts";
import { isRunNote } from "./check-run.ts";
import { begunUsage, clientMark, ownFields, ownMessage, ownType, type ClientMark } from "./shared-form.ts";
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

const bad = (why: string): ParseResult => ({ ok: false, why });

function unknown(why: string, { v, seq, message }: Thing): UnknownLine {
  const isMessage = v !== 1 || message !== undefined;
  return { ok: false, why, unknown: true, ...(isMessage ? { isMessage } : {}), ...(isNumber(seq) ? { seq } : {}) };
}

export function parseRecord(line: Buffer): ParseResult {
  let value: unknown;
  try {
    value = JSON.parse(trimmed(line));
  } catch {
    return bad("not JSON");
  }
  if (!isRecord(value)) return bad("not an object");
  if (mayBeDeep(line) && isDeeperThan(value, deepestRecord)) return bad("nested too deep");
  const mark = clientMark(value);
  if (mark !== undefined) return { ok: false, why: "a client's", unknown: true, mark };
  if (isNumber(value["v"]) && value["v"] > 1) return unknown(`of version ${value["v"]}`, value);
  if (value["v"] !== 1) return bad("not of version 1");
  const wrong = checkEnvelope(value);
  if (wrong !== undefined) return bad(wrong);
  const type = ownType(value);
  if (!isText(type)) return bad("no type");
  if (isMessageType(type)) return numbered(value, messageRecord(value["type"] === type ? value : { ...value, type }));
  if (Object.hasOwn(factChecks, type)) return numbered(value, factRecord(value, type as FactKind));
  return unknown(`unknown type ${type.slice(0, 40)}`, value);
}

/** Returns the record of a line; undefined if it cannot be read or is longer than allowed. */
export function recordFrom(line: Buffer | undefined): TranscriptRecord | undefined {
  const parsed = line === undefined ? undefined : parseRecord(line);
  return parsed?.ok === true ? parsed.record : undefined;
}

function numbered({ seq }: Thing, parsed: ParseResult): ParseResult {
  return parsed.ok || !isNumber(seq) ? parsed : { ...parsed, seq };
}

/** Written records are limited by `deepestValue`; a line by somebody else could be too deep for the code that reads it. */
const deepestRecord = 2 * deepestValue;
const opening = [0x7b, 0x5b];

/** Whether the line opens that many objects and lists. */
function mayBeDeep(line: Buffer): boolean {
  if (line.length < 2 * deepestRecord) return false;
  let count = 0;
  for (const byte of opening)
    for (let at = line.indexOf(byte); at >= 0 && count <= deepestRecord; at = line.indexOf(byte, at + 1)) count += 1;
  return count > deepestRecord;
}

/** A power cut can leave NUL bytes before the next line; editors leave CR and a byte order mark. */
function trimmed(line: Buffer): string {
  let from = 0;
  while (from < line.length && line[from] === 0) from++;
  if (line[from] === 0xef && line[from + 1] === 0xbb && line[from + 2] === 0xbf) from += 3;
  return line.toString("utf8", from);
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function checkEnvelope(value: Thing): string | undefined {
  if (!isNumber(value["seq"])) return "no seq";
  for (const field of ["uuid", "sessionId", "timestamp", "cwd", "version"]) {
    if (!isText(value[field])) return `no ${field}`;
  }
  if (value["uuid"] === "") return "no uuid";
  if (value["parentUuid"] !== null && !isText(value["parentUuid"])) return "no parentUuid";
  if (value["gitBranch"] !== undefined && !isText(value["gitBranch"])) return "gitBranch";
  return undefined;
}

function messageRecord(value: Thing): ParseResult {
  const { message: written, ...line } = value;
  if (!isRecord(written) || written["type"] !== value["type"]) return bad("type and message differ");
  const message = ownMessage(line, written);
  if (message["uuid"] !== value["uuid"]) return bad("uuid and message differ");
  const dropped: string[] = [];
  const checked = message["type"] === "compact_boundary" ? withCheckedInner(message, dropped) : message;
  const wrong = checkMessage(checked);
  if (wrong !== undefined) return bad(wrong);
  const snapshot = checkSnapshot(value["snapshot"]);
  const own = ownFields(line);
  const soFar = begunUsage(written);
  const record = { ...own, message: checked as unknown as Message, snapshot, soFar } as unknown as MessageRecord;
  return { ok: true, record, dropped };
}

/** Removes invalid messages inside a boundary: the boundary itself stays usable. */
function withCheckedInner(boundary: Thing, dropped: string[]): Thing {
  const inner = boundary["messages"];
  if (!Array.isArray(inner)) return boundary;
  const seen = new Set<unknown>();
  const messages = inner.filter((message: unknown) => {
    const wrong = checkInner(message) ?? (seen.has((message as Thing)["uuid"]) ? "a uuid twice" : undefined);
    if (wrong === undefined) seen.add((message as Thing)["uuid"]);
    else dropped.push(`inside a boundary: ${wrong}`);
    return wrong === undefined;
  });
  return messages.length === inner.length ? boundary : { ...boundary, messages };
}

function checkInner(message: unknown): string | undefined {
  if (!isRecord(message)) return "not a message";
  return message["type"] === "compact_boundary" ? "a boundary in a boundary" : checkMessage(message);
}

const factChecks: { [K in FactKind]: (data: unknown) => boolean } = {
  session: (data) =>
    isRecord(data) &&
    isText(data["createdAt"]) &&
    isText(data["cwd"]) &&
    (data["model"] === undefined || isText(data["model"])) &&
    (data["source"] === undefined || isText(data["source"])) &&
    (data["agentType"] === undefined || isText(data["agentType"])) &&
    (data["toolUseId"] === undefined || isText(data["toolUseId"])) &&
    (data["forkedFrom"] === undefined || isRecord(data["forkedFrom"])),
  title: (data) => isRecord(data) && isText(data["title"]),
  tag: (data) => isRecord(data) && (data["tag"] === null || isText(data["tag"])),
  archived: (data) => isRecord(data) && typeof data["archived"] === "boolean",
  model: (data) => isRecord(data) && isText(data["model"]),
  permission_mode: (data) => isRecord(data) && isPermissionMode(data["mode"]),
  agent: (data) => isRecord(data) && isText(data["agent"]),
  ledger: isRecord,
  todos: (data) => Array.isArray(data) || isRecord(data),
  goal: (data) => isRecord(data) && (data["condition"] === null || isText(data["condition"])),
  read_file_state: (data) => Array.isArray(data) || isRecord(data),
  system_prompt: (data) => data !== null && data !== undefined,
  staged_collapses: Array.isArray,
  windows: isRecord,
  tool_started: (data) => isRecord(data) && isText(data["toolUseId"]),
  file_change: isFileChange,
  run: isRunNote,
  tree_snapshot: (data) => isRecord(data) && Number.isSafeInteger(data["mark"]) && isText(data["messageUuid"]),
};

/** The hash becomes a file name and the path is written to, so both are checked strictly. */
function isFileChange(data: unknown): boolean {
  if (!isRecord(data) || !isText(data["messageUuid"])) return false;
  const { path, hash, mode, notKept, madeFolder } = data;
  if (!isText(path) || !isAbsolute(path) || normalize(path) !== path) return false;
  if (madeFolder !== undefined && !(isText(madeFolder) && path.startsWith(madeFolder + sep))) return false;
  if (hash !== null && !(isText(hash) && /^[0-9a-f]{64}$/.test(hash))) return false;
  if (notKept !== undefined && (hash !== null || !(notKeptReasons as readonly unknown[]).includes(notKept)))
    return false;
  return mode === undefined || (isAmount(mode) && Number.isInteger(mode) && mode <= 0o7777);
}

function factRecord(value: Thing, kind: FactKind): ParseResult {
  if (!factChecks[kind](value["data"])) return bad(`${kind}: data`);
  return { ok: true, record: value as unknown as FactRecord, dropped: [] };
}

/** Keeps the well-formed parts of a boundary's snapshot. */
function checkSnapshot(value: unknown): Snapshot | undefined {
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
  for (const field of ["summedUp", "loadedTools"] as const) if (isTexts(value[field])) snapshot[field] = value[field];
  return snapshot as Snapshot;
}
