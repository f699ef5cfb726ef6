/** Resume: reads from the last boundary to the end and tolerates whatever lies in between. */
import type { Message, PermissionMode, RunNote, SnipReplay } from "../protocol/index.ts";
import { findLinesFromEnd, recordAt } from "./search-from-end.ts";
import { takeResultsFor, findCutPlace, collectLaterRecords, type Cut, type CutPlace } from "./cut.ts";
import { TranscriptError } from "./error.ts";
import { reasonOf, systemCode } from "../lib/system-reason.ts";
import { openRegular } from "./file-io.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { foldMessageInto } from "./fold.ts";
import { isNextInChain } from "./message-chain.ts";
import { eachLine, type Line } from "./lines.ts";
import { openToolUses, pairResults } from "./pairing.ts";
import { parseRecord, tryParseRecord, type ParseResult } from "./parse.ts";
import { createReading, finishedSnapshot, type SessionReading } from "./session-reading.ts";
import type { ReadReport } from "./read-report.ts";
import { applyFact, lineStart, seqAfter, type SessionFacts, type Snapshot, type TranscriptRecord } from "./record.ts";
import type { PaidAnswer } from "./unbooked-answers.ts";
import { hasUnboundThinking } from "./unbound-thinking.ts";

/** What `openTranscript` needs in order to continue at the end of the file. */
export interface ResumePoint {
  leafUuid: string | null;
  nextSeq: number;
  snapshot: Snapshot;
  recentUuids: readonly string[];
  /** The size of the file when it was read: other programs may have appended to it since. */
  readTo?: number;
}

/** What a session takes up again of what it stated, besides its messages: the newest of each. */
export interface RestoredFacts {
  title?: string;
  tag?: string | null;
  model?: string;
  /** Never a mode that allows more without asking than the user chooses again now: no `plan`, no `bypassPermissions`. */
  permissionMode?: PermissionMode;
  /** The kind of agent that ran the main thread. */
  agent?: string;
  ledger?: unknown;
  /** Paid answers that `ledger` does not include yet. */
  unbookedAnswers: PaidAnswer[];
  todos?: unknown;
  /** The user's goal, as it was recorded. */
  goal?: unknown;
  readFileState?: unknown;
  systemPrompt?: unknown;
  stagedCollapses?: unknown[];
  windows?: unknown;
  /** Uuids of the prompts at the end that still had to be passed to hooks when the process died. */
  promptsAwaitingHooks: string[];
  /** Whether the process ended during the last turn; undefined if its runs do not say, or if a prompt followed. */
  isCutOff?: boolean | undefined;
}

export interface StoredSession extends RestoredFacts {
  sessionId: string;
  /** The content of the first line; undefined if it is damaged. */
  facts: SessionFacts | undefined;
  /** The messages since the last boundary. Every result has its call; calls at the end may lack results (`repairOrphans`). */
  messages: Message[];
  leafUuid: string | null;
  /** Calls recorded as started. Complete only if `facts.recordsToolStarts`. */
  startedToolUses: ReadonlySet<string>;
  /** Some of `messages` follow a loss, and their thinking is bound to what was lost: the API refuses it. */
  hasUnboundThinking: boolean;
  /** Snips that `snipReplay` did not execute: their spans are still in `messages`. */
  unappliedSnips: number;
  resumePoint: ResumePoint;
  report: ReadReport;
  /** Set if reading stopped at a given message. */
  cut?: Cut;
}

const recentUuidCount = 512;
const firstLineBytes = 256 * 1024;

/**
 * Throws `TranscriptError`: `not_found`, `not_regular`, `io`. Damage inside the file is never an error: see `report`. `at`: the uuid of a
 * message; the session is then read as it was right after it, with the results of the calls that were open at that time.
 */
export function readSession(
  path: string,
  fs: TranscriptFileSystem = nodeFileSystem,
  snipReplay?: SnipReplay,
  at?: string,
): StoredSession {
  const descriptor = openForReading(fs, path);
  try {
    const place = at === undefined ? undefined : findCutPlace(fs, descriptor, at);
    const size = Math.min(place?.end ?? Infinity, fs.status(descriptor).size);
    const reading = createReading(snipReplay);
    const start = findReadStart(fs, descriptor, size);
    reading.report.startOffset = start;
    eachLine(fs, descriptor, { from: start, to: size }, (line) => takeLine(reading, line));
    const facts = reading.facts ?? (start > 0 ? readFirstFacts(fs, descriptor, size) : undefined);
    if (at === undefined || place === undefined) return toSession(reading, facts, size);
    const cut = applyCut(reading, at, place, fs, descriptor);
    return { ...toSession(reading, facts, size), cut };
  } catch (error) {
    throw toReadError(path, error);
  } finally {
    fs.close(descriptor);
  }
}

/** Wraps the error that ended the reading of an open transcript. */
export function toReadError(path: string, error: unknown): TranscriptError {
  if (error instanceof TranscriptError) return error;
  return new TranscriptError("io", `The transcript ${path} could not be read: ${reasonOf(error)}.`, { cause: error });
}

export function openForReading(fs: TranscriptFileSystem, path: string): number {
  try {
    return openRegular(fs, path, "read");
  } catch (error) {
    if (error instanceof TranscriptError) throw error;
    const code = systemCode(error) === "ENOENT" ? "not_found" : systemCode(error) === "ELOOP" ? "not_regular" : "io";
    throw new TranscriptError(code, `The transcript ${path} could not be opened: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
}

/** Removes from `messages` what follows `at` or was retracted, and adds the later results of open calls. */
function applyCut(
  reading: SessionReading,
  at: string,
  place: CutPlace,
  fs: TranscriptFileSystem,
  descriptor: number,
): Cut {
  const { messages } = reading;
  const after = place.isInner ? messages.splice(messages.findIndex(({ uuid }) => uuid === at) + 1) : [];
  const open = new Set(openToolUses(messages).map(({ use }) => use.id));
  const kept = after.map((message) => (message.type === "user" ? takeResultsFor(message, open) : undefined));
  const later = collectLaterRecords(fs, descriptor, place.end, open);
  if (later.retracted.has(at))
    throw new TranscriptError("not_found", `The message ${at.slice(0, 80)} was taken back: name another one.`);
  const left = messages.filter(({ uuid }) => !later.retracted.has(uuid));
  const results = [...kept.filter((message) => message !== undefined), ...later.results];
  messages.length = 0;
  for (const message of [...left, ...results]) messages.push(message);
  for (const id of later.startedCalls) reading.startedCalls.add(id);
  return { ...place, ...later, results };
}

/** Offset of the last readable boundary, or the start of the file. Unreadable boundaries are reported when they are read over. */
export function findReadStart(fs: TranscriptFileSystem, descriptor: number, size: number): number {
  for (const offset of findLinesFromEnd(fs, descriptor, size, [lineStart("compact_boundary")]))
    if (recordAt(fs, descriptor, offset, size)?.type === "compact_boundary") return offset;
  return 0;
}

function takeLine(reading: SessionReading, line: Line): void {
  const { report } = reading;
  if (line.bytes === undefined) return report.badLine(line.offset, `a line of ${line.length} bytes`);
  if (line.bytes.length === 0) return;
  const parsed = parseRecord(line.bytes);
  if (!parsed.ok && !line.hasLineFeed && parsed.unknown !== true) return report.torn(line.offset, line.length);
  if (!parsed.ok) return takeUnreadable(reading, parsed, line.offset);
  for (const why of parsed.dropped) report.badLine(line.offset, why);
  if (parsed.dropped.length > 0) reading.afterLoss.add(parsed.record.uuid);
  takeRecord(reading, parsed.record, line.offset);
}

/** Takes a client's mark, or notes an unreadable line; its number still counts, since a newer version may have written it. */
function takeUnreadable(reading: SessionReading, parsed: Extract<ParseResult, { ok: false }>, offset: number): void {
  if (parsed.unknown === true && parsed.mark !== undefined) return void Object.assign(reading.snapshot, parsed.mark);
  reading.report.badLine(offset, parsed.why, parsed.unknown === true);
  if (parsed.seq !== undefined) takeSeq(reading, parsed.seq, offset);
}

function takeSeq(reading: SessionReading, seq: number, offset: number): void {
  const { report, nextSeq } = reading;
  const isWithin = report.records > 0 || report.startOffset === 0;
  if (seq !== nextSeq && isWithin) report.gap(offset, nextSeq, seq);
  reading.nextSeq = Math.max(nextSeq, seqAfter(seq));
}

function takeRecord(reading: SessionReading, record: TranscriptRecord, offset: number): void {
  const { report, seenUuids } = reading;
  if (seenUuids.has(record.uuid)) return report.badLine(offset, `the record ${record.uuid} a second time`);
  takeSeq(reading, record.seq, offset);
  reading.sessionId = record.sessionId;
  report.records++;
  seenUuids.add(record.uuid);
  if (!("message" in record)) return takeFact(reading, record);
  const { message } = record;
  // A boundary carries everything that is needed from before it.
  const isFirst = reading.leafUuid === null && message.type === "compact_boundary";
  if (!isFirst && !isNextInChain(record, reading.leafUuid, seenUuids)) {
    report.chainBreaks++;
    reading.afterLoss.add(record.uuid);
  }
  reading.leafUuid = record.uuid;
  if (message.type === "compact_boundary") {
    // It belongs to a turn whose beginning may lie before the part that is read.
    if (message.trigger === "auto" || message.trigger === "reactive") reading.isCutOff = true;
    reading.snapshot = { ...reading.snapshot, ...record.snapshot };
    if (record.snapshot?.readFileState !== undefined) reading.readFileChanges = [];
    if (record.snapshot?.ledger !== undefined) reading.unbooked.restartFrom(record.snapshot.ledger);
    for (const inner of message.messages) seenUuids.add(inner.uuid);
  }
  reading.unbooked.addRecord(record);
  if (message.type === "user" && message.awaitsHooks === true) reading.promptsAwaitingHooks.push(message.uuid);
  if (message.type === "user" && (message.origin === "human" || message.origin === "command"))
    reading.isCutOff = undefined;
  // The model has seen the prompts before this message.
  if (message.type === "assistant" || message.type === "compact_boundary") reading.promptsAwaitingHooks = [];
  // The snip was requested for a conversation that had already been repaired.
  if (message.type === "snip_boundary" && reading.afterLoss.size > 0) pairMessages(reading);
  foldMessageInto(reading.messages, message, reading.snipReplay);
  if (message.type === "snip_boundary" && reading.messages.at(-1) !== message) reading.unappliedSnips++;
}

function takeFact(reading: SessionReading, record: Exclude<TranscriptRecord, { message: Message }>): void {
  reading.snapshot = applyFact(reading.snapshot, record.type, record.data);
  if (record.type === "read_file_state") reading.readFileChanges = [];
  if (record.type === "read_file_changes") for (const change of record.data) reading.readFileChanges.push(change);
  if (record.type === "session") reading.facts ??= record.data;
  if (record.type === "ledger") reading.unbooked.restartFrom(record.data);
  if (record.type === "run") takeRun(reading, record.data);
  if (record.type === "tool_started") reading.startedCalls.add(record.data.toolUseId);
}

function takeRun(reading: SessionReading, note: RunNote): void {
  if (note.at === "end") reading.isCutOff = note.cause === "terminate";
  if (note.at !== "begin") return;
  reading.isCutOff = true;
  // Hooks have let in the prompts that the run begins with.
  reading.promptsAwaitingHooks = [];
}

/** Returns the facts in the first line of a transcript; undefined if the line is something else or cannot be read. */
export function readSessionFacts(path: string, fs: TranscriptFileSystem): SessionFacts | undefined {
  try {
    const descriptor = openForReading(fs, path);
    try {
      return readFirstFacts(fs, descriptor, fs.status(descriptor).size);
    } finally {
      fs.close(descriptor);
    }
  } catch (error) {
    if (error instanceof TranscriptError) return undefined;
    throw error;
  }
}

function readFirstFacts(fs: TranscriptFileSystem, descriptor: number, size: number): SessionFacts | undefined {
  let facts: SessionFacts | undefined;
  eachLine(fs, descriptor, { to: Math.min(size, firstLineBytes), maximumBytes: firstLineBytes }, ({ bytes }) => {
    const record = tryParseRecord(bytes);
    if (record?.type === "session") facts = record.data;
    return false;
  });
  return facts;
}

function pairMessages(reading: SessionReading): void {
  const { messages, notes } = pairResults(reading.messages);
  reading.messages = messages;
  reading.report.repaired.push(...notes);
}

function toSession(reading: SessionReading, facts: SessionFacts | undefined, readTo: number): StoredSession {
  pairMessages(reading);
  const { messages, leafUuid, nextSeq, report } = reading;
  const snapshot = finishedSnapshot(reading);
  return {
    sessionId: reading.sessionId,
    facts,
    messages,
    leafUuid,
    title: snapshot.title,
    tag: snapshot.tag,
    model: snapshot.model ?? facts?.model,
    permissionMode: restorableMode(snapshot.permissionMode),
    agent: snapshot.agent,
    ledger: snapshot.ledger,
    unbookedAnswers: reading.unbooked.list(),
    todos: snapshot.todos,
    goal: snapshot.goal,
    readFileState: snapshot.readFileState,
    systemPrompt: snapshot.systemPrompt,
    stagedCollapses: snapshot.stagedCollapses,
    windows: snapshot.windows,
    startedToolUses: reading.startedCalls,
    hasUnboundThinking: hasUnboundThinking(messages, reading.afterLoss),
    unappliedSnips: reading.unappliedSnips,
    isCutOff: reading.isCutOff,
    promptsAwaitingHooks: reading.promptsAwaitingHooks.filter((uuid) => messages.some((each) => each.uuid === uuid)),
    resumePoint: { leafUuid, nextSeq, snapshot, recentUuids: [...reading.seenUuids].slice(-recentUuidCount), readTo },
    report: report.done(),
  };
}

function restorableMode(mode: string | undefined): PermissionMode | undefined {
  return mode === "default" || mode === "acceptEdits" || mode === "dontAsk" ? mode : undefined;
}
