/** What one line of a transcript is: a message in its envelope, or a fact about the session. */
import type { CompactBoundaryMessage, Message, PermissionMode, RunNote, Usage } from "../protocol/index.ts";
import { jsonLine } from "../lib/json-line.ts";
import { lineOf, type Line } from "./line-bytes.ts";
import { lineForm, lineType } from "./shared-form.ts";

/** A line longer than this is not written, and is skipped when read. Twice what the API takes as one request. */
export const maximumLineBytes = 64 * 1024 * 1024;

/** The first line of every transcript. */
export interface SessionFacts {
  createdAt: string;
  cwd: string;
  /** Of an agent's: as the call names it that began it, if it does. */
  model?: string;
  /** How the session was started, such as `cli`, `print`, `sdk`, `subagent`. */
  source?: string;
  forkedFrom?: { sessionId: string; uuid: string | null };
  /** Of an agent's: its kind. */
  agentType?: string;
  /** The call that began it. */
  toolUseId?: string;
  /** A `tool_started` record precedes every call, so that a call without one has not run. */
  recordsToolStarts?: true;
}

/** Why a file's content was not kept before it was changed. */
export const notKeptReasons = ["symbolic_link", "hard_link", "not_regular", "too_large"] as const;
export type NotKept = (typeof notKeptReasons)[number];

/** How a file was just before the first change a tool made to it in a user turn, or before a rewind replaced it. Written before that change. */
export interface FileChange {
  /** Absolute, through no symbolic link. */
  path: string;
  /** Names the content in `fileHistoryFolder`: SHA-256 in hex. Null: the file was not there, or `notKept` says why it was not kept. */
  hash: string | null;
  /** Permission bits. */
  mode?: number;
  notKept?: NotKept;
  /** The uppermost folder of its path that was not there. */
  madeFolder?: string;
  /** The prompt of that user turn, or the one rewound to. */
  messageUuid: string;
}

/** Before a call that may change anything: the state of the working folders is in the session's log of snapshots. */
export interface TreeSnapshot {
  /** Number of its mark there. */
  mark: number;
  /** The prompt of that user turn. */
  messageUuid: string;
}

/** Facts about a session, by the `type` of their line. Those of the session's own rooms are plain JSON of their making. */
export interface FactData {
  session: SessionFacts;
  title: { title: string };
  /** Null: it has none any more. */
  tag: { tag: string | null };
  archived: { archived: boolean };
  model: { model: string };
  permission_mode: { mode: PermissionMode };
  /** The kind of agent that the main thread is. */
  agent: { agent: string };
  ledger: unknown;
  todos: unknown;
  /** Null: none is set any more. */
  goal: { condition: string | null };
  read_file_state: unknown;
  system_prompt: unknown;
  /** Objects that name the span they stand for by the uuids `from` and `to`. */
  staged_collapses: unknown[];
  windows: unknown;
  tool_started: { toolUseId: string };
  file_change: FileChange;
  /** How a run of the loop began and ended, and what it noted: for replays. A resume passes it over. */
  run: RunNote;
  tree_snapshot: TreeSnapshot;
}
export type FactKind = keyof FactData;

/** The newest of each fact, carried by a boundary, so that resume need not look behind it. */
export interface Snapshot {
  title?: string;
  tag?: string | null;
  archived?: boolean;
  model?: string;
  permissionMode?: string;
  agent?: string;
  ledger?: unknown;
  todos?: unknown;
  goal?: unknown;
  readFileState?: unknown;
  systemPrompt?: unknown;
  stagedCollapses?: unknown[];
  windows?: unknown;
  /** Ids of answered prompts that summaries stand for. */
  summedUp?: string[];
  /** Names of tools that were loaded before, in order. */
  loadedTools?: string[];
}

export interface RecordBase {
  v: 1;
  /** Counts the lines of a session from 0, over all its processes. */
  seq: number;
  uuid: string;
  /** The message record before this one; facts carry the message they follow. */
  parentUuid: string | null;
  sessionId: string;
  /** ISO 8601. */
  timestamp: string;
  cwd: string;
  version: string;
  gitBranch?: string;
  /** Whether it is of an agent, for programs of others that read it. */
  isSidechain?: boolean;
  agentId?: string;
}

export type MessageRecord = RecordBase & {
  type: Message["type"];
  message: Message;
  snapshot?: Snapshot;
  /** Of a block of an answer: what the answer had used when it began. */
  soFar?: Usage;
};
export type FactRecord = { [K in FactKind]: RecordBase & { type: K; data: FactData[K] } }[FactKind];
export type TranscriptRecord = MessageRecord | FactRecord;

/**
 * How the line of a record begins, up to its type. A line feed cannot stand inside JSON text, so that together with the one before it
 * these bytes are never part of another record: a search from the end finds boundaries without parsing.
 */
export function lineStart(type: TranscriptRecord["type"]): string {
  return `{"v":1,"type":"${type}",`;
}

export function applyFact(snapshot: Snapshot, kind: FactKind, data: FactData[FactKind]): Snapshot {
  switch (kind) {
    case "title":
      return { ...snapshot, title: (data as FactData["title"]).title };
    case "tag":
      return { ...snapshot, tag: (data as FactData["tag"]).tag };
    case "archived":
      return { ...snapshot, archived: (data as FactData["archived"]).archived };
    case "model":
      return { ...snapshot, model: (data as FactData["model"]).model };
    case "permission_mode":
      return { ...snapshot, permissionMode: (data as FactData["permission_mode"]).mode };
    case "agent":
      return { ...snapshot, agent: (data as FactData["agent"]).agent };
    case "ledger":
      return { ...snapshot, ledger: data };
    case "todos":
      return { ...snapshot, todos: data };
    case "goal":
      return { ...snapshot, goal: data };
    case "read_file_state":
      return { ...snapshot, readFileState: data };
    case "system_prompt":
      return { ...snapshot, systemPrompt: data };
    case "staged_collapses":
      return { ...snapshot, stagedCollapses: data as FactData["staged_collapses"] };
    case "windows":
      return { ...snapshot, windows: data };
    case "session":
    case "tool_started":
    case "file_change":
    case "run":
    case "tree_snapshot":
      return snapshot;
  }
}

/** What all records of one process share. */
export type CommonFields = Pick<RecordBase, "sessionId" | "cwd" | "version" | "isSidechain" | "agentId"> & {
  gitBranch?: string | undefined;
};

/** More lines than any session has: a number damaged into one as large must not leave those behind it without numbers. */
const mostLines = 2 ** 52;

/** The number of the line behind one of this number. */
export function seqAfter(seq: number): number {
  return seq < mostLines ? seq + 1 : 1;
}

export interface Position {
  seq: number;
  parentUuid: string | null;
}

/** Lone surrogates leave as `\udXXX` escapes. Throws where `message` is not JSON. `soFar`: the usage that its response was begun with. */
export function messageLine(
  message: Message,
  at: Position,
  common: CommonFields,
  { snapshot, soFar }: { snapshot?: Snapshot | undefined; soFar?: Usage | undefined } = {},
): Line {
  const fields = lineForm(message, soFar);
  const rest = snapshot === undefined ? fields : { ...fields, snapshot };
  return lineOf(headOf(lineType(message.type), message, at, common), jsonLine(rest));
}

export function factLine<K extends FactKind>(
  type: K,
  data: FactData[K],
  own: { uuid: string; timestamp: string },
  at: Position,
  common: CommonFields,
): Line {
  return lineOf(headOf({ type }, own, at, common), jsonLine({ data: data ?? null }));
}

/** What all lines share is made a text of once, and of the rest one object is serialised: objects put together anew for each line took longer than that. */
function headOf(
  { type, subtype }: { type: string; subtype?: string },
  { uuid, timestamp }: { uuid: string; timestamp: string },
  { seq, parentUuid }: Position,
  common: CommonFields,
): string[] {
  return [
    '{"v":1,"type":"',
    type,
    subtype === undefined ? "" : '","subtype":"',
    subtype ?? "",
    '","seq":',
    String(seq),
    ',"uuid":"',
    inQuotes(uuid),
    parentUuid === null ? '","parentUuid":null' : '","parentUuid":"',
    parentUuid === null ? "" : inQuotes(parentUuid),
    parentUuid === null ? ',"timestamp":"' : '","timestamp":"',
    inQuotes(timestamp),
    '",',
    commonText(common),
  ];
}

/** As nearly all ids and times are, which stand in JSON as they are. */
const isPlain = /^[\w:.-]*$/u;

function inQuotes(text: string): string {
  return isPlain.test(text) ? text : jsonLine(text).slice(1, -1);
}

const commonTexts = new WeakMap<CommonFields, string>();

/** Without its braces. The fields must not change once a line was written. */
function commonText(common: CommonFields): string {
  let text = commonTexts.get(common);
  if (text === undefined) {
    const { sessionId, cwd, version, gitBranch, isSidechain, agentId } = common;
    text = jsonLine({ sessionId, cwd, version, gitBranch, isSidechain, agentId }).slice(1, -1);
    commonTexts.set(common, text);
  }
  return text;
}

/** The message without what is kept for clients only, for a line that would be too long. Undefined where that changes nothing. */
export function withoutClientOutput(message: Message): Message | undefined {
  if (message.type === "user" && message.toolUseResult !== undefined) return { ...message, toolUseResult: undefined };
  if (message.type !== "compact_boundary") return undefined;
  const messages: CompactBoundaryMessage["messages"] = message.messages.map(
    (inner) => withoutClientOutput(inner) ?? inner,
  );
  return { ...message, messages };
}
