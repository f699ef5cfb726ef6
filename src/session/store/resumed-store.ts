/** A resumed session: read back, repaired, and opened at its end. */
import { dirname } from "node:path";
import type { Message, ToolUseBlock } from "../../protocol/message.ts";
import { quoteName } from "../../lib/quote-name.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { removeAbandonedIn, removeAbandonedWrites } from "./abandoned-writes.ts";
import { newRecordFields, strippedThinkingMark } from "../../protocol/new-record.ts";
import type { Store, StoreOptions } from "./store-shape.ts";
import {
  acquireLock,
  describeReport,
  isSessionId,
  newerVersionError,
  openToolUses,
  openTranscript,
  readSessionFacts,
  readSession,
  repairOrphans,
  toolResultsFolder,
  transcriptPath,
  type FoundSession,
  type SessionFacts,
  type SessionLock,
  type Snapshot,
  type StoredSession,
  type Transcript,
  type TranscriptFileSystem,
} from "../../transcript/index.ts";
import { snapshotsFolder } from "../../transcript/paths.ts";
import type { PaidAnswer } from "../../transcript/unbooked-answers.ts";
import { isRecord } from "../../lib/is-record.ts";

/** The options with which every transcript of a session is opened. */
export function transcriptOptions(options: StoreOptions) {
  const { cwd, version, gitBranch, clock, ids, durability, snapshot, files, processes, mirror } = options;
  return { cwd, version, gitBranch, clock, ids, durability, snapshot, fs: files, processes, mirror };
}

/** Locks a session that may have existed before, in this process or a dead one. */
export function acquireSessionLock({ files, processes, clock }: StoreOptions, path: string): SessionLock {
  return acquireLock(path, { fs: files, processes, now: () => clock.now(), mayHaveLeftovers: true });
}

/** Takes the lock first, so that what is read is what the session continues with. */
export function openResumedStore(options: StoreOptions, { sessionId, path }: FoundSession): Store {
  const lock = options.persist ? acquireSessionLock(options, path) : undefined;
  let transcript: Transcript | null = null;
  try {
    const wholeSession = readSession(path, options.files, options.snips.replay);
    if (wholeSession.messages.length === 0 && wholeSession.report.unknownLines > 0) throw newerVersionError(path);
    const stored = rewoundSession(wholeSession, path, options);
    const carried = createOpeningSnapshot(stored, options.snapshot);
    const opening = {
      ...transcriptOptions(options),
      path,
      sessionId,
      resume: wholeSession.resumePoint,
      snapshot: carried.ask,
    };
    if (lock !== undefined) transcript = openTranscript({ ...opening, lock });
    if (stored !== wholeSession) appendRecord(transcript, rewindBoundary(stored.messages, options));
    carried.forget();
    const startedCalls = stored.facts?.recordsToolStarts === true ? stored.startedToolUses : undefined;
    const orphan = findUnrunCall(stored.messages, startedCalls, options.orphanedToolUseId);
    const repairs = repairOrphans(stored.messages, options.ids, options.clock, {
      startedCalls,
      replay: options.replayOf,
      exceptToolUseId: orphan?.id,
    });
    const marks = stored.hasUnboundThinking ? [strippedThinkingMark(options)] : [];
    for (const added of [...repairs, ...marks]) appendRecord(transcript, added);
    if (repairs.length > 0) removeAbandonedWrites(stored.messages, options);
    // A background agent, or the end of a turn, may have been writing: then no call is open.
    removeAbandonedIn(snapshotsFolder(path), options);
    const damage = describeReport(stored.report);
    return {
      sessionId,
      transcript,
      spillDirectory: transcript === null ? null : toolResultsFolder(path),
      spilledBefore: earlierSpillFolders(path, stored.facts, options.files),
      messages: [...stored.messages, ...repairs, ...marks],
      orphan,
      restored: restoredOf(stored),
      notices: [
        damage,
        stored === wholeSession ? undefined : rewoundNotice(options.resumeAt ?? ""),
        options.snips.unappliedText(stored.unappliedSnips),
        emptySessionNotice(sessionId, stored.messages),
        missingFolderNotice(stored.facts, options),
        strayAnswerNotice(options.orphanedToolUseId, orphan),
      ].filter((notice) => notice !== undefined),
    };
  } catch (error) {
    if (transcript === null) lock?.release();
    else transcript.close();
    throw error;
  }
}

/** Returns the session's own folder and, for a copy, those of its originals if they are beside it. */
function earlierSpillFolders(path: string, facts: SessionFacts | undefined, files: TranscriptFileSystem): string[] {
  const paths = new Set([path]);
  for (let from = facts?.forkedFrom?.sessionId; typeof from === "string" && isSessionId(from);) {
    const original = transcriptPath(dirname(path), from);
    if (paths.has(original)) break;
    paths.add(original);
    from = readSessionFacts(original, files)?.forkedFrom?.sessionId;
  }
  return [...paths].map(toolResultsFolder);
}

const noGoal = { condition: null };

/** Supplies what a boundary carries while the session is being opened, before its parts know anything. */
function createOpeningSnapshot(
  {
    ledger,
    unbookedAnswers,
    todos = [],
    goal = noGoal,
    readFileState = [],
    stagedCollapses = [],
    resumePoint,
  }: StoredSession,
  later: StoreOptions["snapshot"],
) {
  const { summedUp = [], loadedTools = [] } = resumePoint.snapshot;
  const paid = { ledger: ledgerWith(ledger, unbookedAnswers) };
  const restoredFacts = { todos, goal, readFileState, stagedCollapses };
  let own: Partial<Snapshot> | undefined = { ...paid, ...restoredFacts, summedUp, loadedTools };
  return {
    ask: () => own ?? later(),
    forget(): void {
      own = undefined;
    },
  };
}

/** Adds the answers that the ledger does not include yet; their records precede the boundary. */
function ledgerWith(ledger: unknown, unbooked: readonly PaidAnswer[]): unknown {
  if (unbooked.length === 0) return ledger;
  const known = isRecord(ledger) ? ledger : { totalUsd: 0, byModel: {} };
  return { ...known, open: unbooked.map(({ model, usage }) => ({ model, usage })) };
}

function appendRecord(transcript: Transcript | null, message: Message): void {
  const written = transcript?.append(message);
  if (written?.ok === false) throw new UsageError(written.failure.message);
}

/** Returns the session as it was after `resumeAt`, at its present cost; `stored` itself if nothing came later. */
function rewoundSession(stored: StoredSession, path: string, { resumeAt, files, snips }: StoreOptions): StoredSession {
  if (resumeAt === undefined) return stored;
  const earlier = readSession(path, files, snips.replay, resumeAt);
  if (earlier.messages.at(-1)?.uuid === stored.messages.at(-1)?.uuid) return stored;
  const { messages, todos, goal, readFileState, stagedCollapses, startedToolUses, unappliedSnips } = earlier;
  const { hasUnboundThinking, resumePoint, promptsAwaitingHooks } = earlier;
  const own = {
    messages,
    todos,
    goal,
    readFileState,
    stagedCollapses,
    startedToolUses,
    unappliedSnips,
    promptsAwaitingHooks,
  };
  return { ...stored, ...own, hasUnboundThinking, resumePoint, isCutOff: undefined };
}

/** Nothing before this boundary is read again; the file keeps all of it. */
function rewindBoundary(messages: Message[], options: StoreOptions): Message {
  const figures = { preTokens: 0, postTokens: 0, lastSummarizedUuid: null };
  return { type: "compact_boundary", ...newRecordFields(options), trigger: "rewound", ...figures, messages };
}

function rewoundNotice(uuid: string): string {
  return `The session goes on after the message ${uuid.slice(0, 80)}; what came later stays in its transcript.`;
}

/** Only a call that is known not to have run: any other might run twice. */
function findUnrunCall(
  messages: readonly Message[],
  startedCalls: ReadonlySet<string> | undefined,
  id: string | undefined,
): ToolUseBlock | undefined {
  if (id === undefined || startedCalls === undefined || startedCalls.has(id)) return undefined;
  return openToolUses(messages).find(({ use }) => use.id === id)?.use;
}

function strayAnswerNotice(id: string | undefined, orphan: ToolUseBlock | undefined): string | undefined {
  if (id === undefined || orphan !== undefined) return undefined;
  return `The call ${id.slice(0, 80)} does not wait for a permission in this session: the answer was not used.`;
}

/** A resume is expected to find messages, so a session without any is reported. */
function emptySessionNotice(sessionId: string, messages: readonly Message[]): string | undefined {
  return messages.length > 0 ? undefined : `Session ${sessionId} holds no messages: it starts empty.`;
}

/** Only a missing folder is reported here: the model is told anyway if a session continues in another folder. */
function missingFolderNotice(facts: SessionFacts | undefined, { cwd, files }: StoreOptions): string | undefined {
  const began = facts?.cwd;
  if (typeof began !== "string" || began === "" || began === cwd || folderExists(began, files)) return undefined;
  return `The folder this session began in is gone: ${quoteName(began)}. It goes on in ${quoteName(cwd)}.`;
}

/** If the status cannot be read, the folder counts as existing. */
function folderExists(path: string, files: TranscriptFileSystem): boolean {
  try {
    return files.statusOf(path) !== undefined;
  } catch {
    return true;
  }
}

function restoredOf(stored: StoredSession): Store["restored"] {
  const { summedUp, loadedTools } = stored.resumePoint.snapshot;
  return {
    title: stored.title,
    tag: stored.tag,
    model: stored.model,
    permissionMode: stored.permissionMode,
    agent: stored.agent,
    ledger: stored.ledger,
    unbookedAnswers: stored.unbookedAnswers,
    todos: stored.todos,
    goal: stored.goal,
    readFileState: stored.readFileState,
    systemPrompt: stored.systemPrompt,
    stagedCollapses: stored.stagedCollapses,
    windows: stored.windows,
    summedUp,
    loadedTools,
    promptsAwaitingHooks: stored.promptsAwaitingHooks,
    isCutOff: stored.isCutOff,
  };
}
