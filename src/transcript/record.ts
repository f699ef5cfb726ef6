/** A line of a transcript: a message in its envelope, or a fact about the session. */
import type { CompactBoundaryMessage, Message, PermissionMode, RunNote, Usage } from "../protocol/index.ts";
import { jsonLine } from "../lib/json-line.ts";
import { composeLine, type UnwrittenLine } from "./line-bytes.ts";
import { toLineFields, lineType } from "./line-format.ts";

/** A longer line is not written, and is skipped when read. Twice the size the API accepts for one request. */
export const maximumLineBytes = 64 * 1024 * 1024;

/** The first line of every transcript. */
export interface SessionFacts {
  createdAt: string;
  cwd: string;
  /** For an agent's transcript: the model that the call named, if any. */
  model?: string;
  /** How the session was started, such as `cli`, `print`, `sdk`, `subagent`. */
  source?: string;
  forkedFrom?: { sessionId: string; uuid: string | null };
  /** For an agent's transcript: the kind of agent. */
  agentType?: string;
  /** For an agent's transcript: the name of the skill that the agent carries out, if any. */
  skill?: string;
  /** The call that started the agent. */
  toolUseId?: string;
  /** A `tool_started` record precedes every call, so a call without one has not run. */
  recordsToolStarts?: true;
}

/** Why a file's content was not saved before it was changed. */
export const notKeptReasons = ["symbolic_link", "hard_link", "not_regular", "too_large"] as const;
export type NotKeptReason = (typeof notKeptReasons)[number];

/** A file's state just before the first change by a tool in a user turn, or before a rewind replaced it. Written before that change. */
export interface FileChange {
  /** Absolute, without symbolic links. */
  path: string;
  /** Names the content in `fileHistoryFolder`: SHA-256 in hex. Null: the file did not exist, or `notKept` says why it was not saved. */
  hash: string | null;
  /** Permission bits. */
  mode?: number;
  notKept?: NotKeptReason;
  /** The topmost folder of the path that did not exist. */
  madeFolder?: string;
  /** The prompt of that user turn, or the prompt that was rewound to. */
  messageUuid: string;
}

/** Written before a call that may change anything: the state of the working folders is in the session's snapshot log. */
export interface TreeSnapshot {
  /** The number of the snapshot's mark in that log. */
  mark: number;
  /** The prompt of that user turn. */
  messageUuid: string;
}

/** Facts about a session, by the `type` of their line. An `unknown` one is plain JSON of the part of the session that writes it. */
export interface FactData {
  session: SessionFacts;
  title: { title: string };
  /** Null: the tag was removed. */
  tag: { tag: string | null };
  archived: { archived: boolean };
  model: { model: string };
  permission_mode: { mode: PermissionMode };
  /** The kind of agent that runs the main thread. */
  agent: { agent: string };
  ledger: unknown;
  todos: unknown;
  /** Null: the goal was removed. */
  goal: { condition: string | null };
  /** All files that the model has read. Older versions wrote it after each prompt; now only boundaries carry the whole list. */
  read_file_state: unknown;
  /** What has changed in that list since the last record of either kind; resume adds it to the end of the list. */
  read_file_changes: unknown[];
  system_prompt: unknown;
  /** Objects that name the span they replace by the uuids `from` and `to`. */
  staged_collapses: unknown[];
  windows: unknown;
  tool_started: { toolUseId: string };
  file_change: FileChange;
  /** How a run of the loop began and ended, and its notes: for replays. Resume ignores it. */
  run: RunNote;
  tree_snapshot: TreeSnapshot;
}
export type FactKind = keyof FactData;

/** The newest value of each fact, carried by a boundary so that resume need not read what is before it. */
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
  /** Ids of answered prompts that are covered by summaries. */
  summedUp?: string[];
  /** Names of tools that were loaded before the boundary, in order. */
  loadedTools?: string[];
}

export interface RecordBase {
  v: 1;
  /** Counts the lines of a session from 0, across all its processes. */
  seq: number;
  uuid: string;
  /** The previous message record; for a fact, the message it follows. */
  parentUuid: string | null;
  sessionId: string;
  /** ISO 8601. */
  timestamp: string;
  cwd: string;
  version: string;
  gitBranch?: string;
  /** Whether the record belongs to an agent, for other programs that read transcripts. */
  isSidechain?: boolean;
  agentId?: string;
}

export type MessageRecord = RecordBase & {
  type: Message["type"];
  message: Message;
  snapshot?: Snapshot;
  /** For a block of an answer: the usage when the answer began. */
  soFar?: Usage;
};
export type FactRecord = { [K in FactKind]: RecordBase & { type: K; data: FactData[K] } }[FactKind];
export type TranscriptRecord = MessageRecord | FactRecord;

/**
 * The beginning of a record's line, up to its type. JSON text cannot contain a line feed, so these bytes after a line feed are never part
 * of another record: a search from the end finds boundaries without parsing.
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
    // The reader collects them. A boundary states the whole list anew.
    case "read_file_changes":
    case "session":
    case "tool_started":
    case "file_change":
    case "run":
    case "tree_snapshot":
      return snapshot;
  }
}

/** The fields that all records of one process share. */
export type CommonFields = Pick<RecordBase, "sessionId" | "cwd" | "version" | "isSidechain" | "agentId"> & {
  gitBranch?: string | undefined;
};

/** More lines than any session has: a sequence number damaged into one this large must not leave the next lines without numbers. */
const maxSeq = 2 ** 52;

/** The number of the line after the one with this number. */
export function seqAfter(seq: number): number {
  return seq < maxSeq ? seq + 1 : 1;
}

export interface Position {
  seq: number;
  parentUuid: string | null;
}

/** Lone surrogates become `\udXXX` escapes. Throws if `message` is not JSON. `soFar`: the usage with which its response began. */
export function messageLine(
  message: Message,
  at: Position,
  common: CommonFields,
  { snapshot, soFar }: { snapshot?: Snapshot | undefined; soFar?: Usage | undefined } = {},
): UnwrittenLine {
  const fields = toLineFields(message, soFar);
  const rest = snapshot === undefined ? fields : { ...fields, snapshot };
  return composeLine(lineHead(lineType(message.type, common.isSidechain), message, at, common), jsonLine(rest));
}

export function factLine<K extends FactKind>(
  type: K,
  data: FactData[K],
  ids: { uuid: string; timestamp: string },
  at: Position,
  common: CommonFields,
): UnwrittenLine {
  return composeLine(lineHead({ type }, ids, at, common), jsonLine({ data: data ?? null }));
}

/** Builds the head from strings, with the common part cached: assembling and serialising a new object for each line took longer. */
function lineHead(
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
    escapeJson(uuid),
    parentUuid === null ? '","parentUuid":null' : '","parentUuid":"',
    parentUuid === null ? "" : escapeJson(parentUuid),
    parentUuid === null ? ',"timestamp":"' : '","timestamp":"',
    escapeJson(timestamp),
    '",',
    commonText(common),
  ];
}

/** Matches nearly all ids and times, which need no escaping in JSON. */
const needsNoEscaping = /^[\w:.-]*$/u;

function escapeJson(text: string): string {
  return needsNoEscaping.test(text) ? text : jsonLine(text).slice(1, -1);
}

const commonTexts = new WeakMap<CommonFields, string>();

/** The common fields as JSON without braces. The fields must not change once a line was written. */
function commonText(common: CommonFields): string {
  let text = commonTexts.get(common);
  if (text === undefined) {
    const { sessionId, cwd, version, gitBranch, isSidechain, agentId } = common;
    text = jsonLine({ sessionId, cwd, version, gitBranch, isSidechain, agentId }).slice(1, -1);
    commonTexts.set(common, text);
  }
  return text;
}

/** Returns the message without its output for clients, for a line that would be too long. Undefined if that makes no difference. */
export function withoutClientOutput(message: Message): Message | undefined {
  if (message.type === "user" && message.toolUseResult !== undefined) return { ...message, toolUseResult: undefined };
  if (message.type !== "compact_boundary") return undefined;
  const messages: CompactBoundaryMessage["messages"] = message.messages.map(
    (inner) => withoutClientOutput(inner) ?? inner,
  );
  return { ...message, messages };
}
