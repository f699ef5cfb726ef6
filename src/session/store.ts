/** Where a session's conversation comes from and goes to: a new file, a resumed one, a fork, or nothing at all. */
import type { Message, ResponseEndMessage, ToolUseBlock } from "../protocol/message.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { Tool } from "../protocol/tool.ts";
import type { ClockPort, IdPort } from "../loop/ports.ts";
import { UsageError } from "../lib/usage-error.ts";
import { removeAbandonedWrites } from "./abandoned-writes.ts";
import {
  acquireLock,
  describeReport,
  findSession,
  forkSession,
  isSessionId,
  newestSession,
  openCalls,
  openTranscript,
  projectFolder,
  readSession,
  repairOrphans,
  toolResultsFolder,
  TranscriptError,
  transcriptPath,
  type FoundSession,
  type SessionLock,
  type Snapshot,
  type Transcript,
  type TranscriptFileSystem,
} from "../transcript/index.ts";
import type { Snips } from "./snips.ts";
import type { ProcessTable } from "../transcript/process-table.ts";

export interface StoreOptions {
  /** `$PAWL_HOME`. */
  pawlHome: string;
  cwd: string;
  version: string;
  gitBranch?: string;
  persist: boolean;
  resume?: string;
  continue: boolean;
  fork: boolean;
  sessionId?: string;
  durability: "process" | "power";
  clock: ClockPort;
  ids: IdPort;
  files: TranscriptFileSystem;
  processes: ProcessTable;
  /** Id of a call whose permission was answered since the process died. */
  orphanedToolUseId?: string;
  replayOf: (toolName: string) => Tool["replay"] | undefined;
  snips: Snips;
  /** What a compaction boundary carries, so that a resume need not look behind it. */
  snapshot: () => Partial<Snapshot>;
}

export interface Store {
  sessionId: string;
  /** Null: nothing is persisted. */
  transcript: Transcript | null;
  /** Where long results are kept; null: nowhere for good. */
  spillDirectory: string | null;
  /** Where those of a session that goes on may lie. */
  spilledBefore: string | null;
  messages: Message[];
  /** The call of `orphanedToolUseId`, where it has not run. */
  orphan?: ToolUseBlock;
  restored: {
    model?: string;
    permissionMode?: PermissionMode;
    ledger?: unknown;
    /** What the ledger does not have yet. */
    unbooked?: ResponseEndMessage[];
    todos?: unknown;
    readFileState?: unknown;
    systemPrompt?: unknown;
    stagedCollapses?: unknown[];
    windows?: unknown;
  };
  notices: string[];
}

/** Throws `UsageError`: an unknown session, an id that is taken, a session another process holds. */
export function openStore(options: StoreOptions): Store {
  if (options.sessionId !== undefined && !isSessionId(options.sessionId)) {
    throw new UsageError(`--session-id takes a UUID, which "${options.sessionId.slice(0, 80)}" is not.`);
  }
  try {
    const found = earlierSession(options);
    if (found === undefined) return newStore(options);
    if (!options.fork) return resumedStore(options, found);
    return options.persist ? resumedStore(options, forked(options, found)) : unwrittenFork(options, found);
  } catch (error) {
    if (error instanceof TranscriptError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

function earlierSession(options: StoreOptions): FoundSession | undefined {
  const place = { home: options.pawlHome, cwd: options.cwd, fs: options.files };
  if (options.resume !== undefined) return findSession(options.resume, place);
  if (!options.continue) return undefined;
  const newest = newestSession(place);
  if (newest === undefined)
    throw new UsageError("There is no session of this folder to continue. Start one without --continue.");
  return newest;
}

function newSessionId(options: StoreOptions): string {
  return (options.sessionId ?? options.ids.uuid()).toLowerCase();
}

function forked(options: StoreOptions, found: FoundSession): FoundSession {
  const sessionId = newSessionId(options);
  const { path } = forkSession(found.path, sessionId, {
    clock: options.clock,
    folder: projectFolder(options.pawlHome, options.cwd),
    fs: options.files,
  });
  return { sessionId, path };
}

/** Goes on from the original, of which it leaves no copy. */
function unwrittenFork(options: StoreOptions, found: FoundSession): Store {
  return { ...resumedStore(options, found), sessionId: newSessionId(options) };
}

function newStore(options: StoreOptions): Store {
  const sessionId = newSessionId(options);
  const empty = { sessionId, spilledBefore: null, messages: [], restored: {}, notices: [] };
  if (!options.persist) return { ...empty, transcript: null, spillDirectory: null };
  const path = transcriptPath(projectFolder(options.pawlHome, options.cwd), sessionId);
  const lock = options.sessionId === undefined ? undefined : lockOf(options, path);
  const transcript = openTranscript({ ...common(options), path, sessionId, facts: { recordsToolStarts: true }, lock });
  return { ...empty, transcript, spillDirectory: toolResultsFolder(path) };
}

function common(options: StoreOptions) {
  const { cwd, version, gitBranch, clock, ids, durability, snapshot, files, processes } = options;
  return { cwd, version, gitBranch, clock, ids, durability, snapshot, fs: files, processes };
}

/** Of a session that may have been there before, this process's or a dead one's. */
function lockOf({ files, processes, clock }: StoreOptions, path: string): SessionLock {
  return acquireLock(path, { fs: files, processes, now: () => clock.now(), isKnown: true });
}

/** The lock comes first: what is read is then what is gone on with. */
function resumedStore(options: StoreOptions, { sessionId, path }: FoundSession): Store {
  const lock = options.persist ? lockOf(options, path) : undefined;
  try {
    const stored = readSession(path, options.files, options.snips.replay);
    const transcript =
      lock === undefined
        ? null
        : openTranscript({ ...common(options), path, sessionId, resume: stored.resumePoint, lock });
    const started = stored.facts?.recordsToolStarts === true ? stored.startedToolUses : undefined;
    const orphan = orphanIn(stored.messages, started, options.orphanedToolUseId);
    const repairs = repairOrphans(stored.messages, options.ids, options.clock, {
      started,
      replay: options.replayOf,
      leave: orphan?.id,
    });
    for (const repair of repairs) {
      const written = transcript?.append(repair);
      if (written?.ok === false) throw new UsageError(written.failure.message);
    }
    if (repairs.length > 0) removeAbandonedWrites(stored.messages, options);
    const damage = describeReport(stored.report);
    const { model, permissionMode, ledger, unbooked, todos, readFileState, systemPrompt, stagedCollapses, windows } =
      stored;
    return {
      sessionId,
      transcript,
      spillDirectory: transcript === null ? null : toolResultsFolder(path),
      spilledBefore: toolResultsFolder(path),
      messages: [...stored.messages, ...repairs],
      orphan,
      restored: {
        model,
        permissionMode,
        ledger,
        unbooked,
        todos,
        readFileState,
        systemPrompt,
        stagedCollapses,
        windows,
      },
      notices: [
        damage,
        options.snips.unappliedText(stored.unappliedSnips),
        emptiness(sessionId, stored.messages),
        strayAnswer(options.orphanedToolUseId, orphan),
      ].filter((notice) => notice !== undefined),
    };
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** Only a call of which it is known that it has not run: another could run twice. */
function orphanIn(
  messages: readonly Message[],
  started: ReadonlySet<string> | undefined,
  id: string | undefined,
): ToolUseBlock | undefined {
  if (id === undefined || started === undefined || started.has(id)) return undefined;
  return openCalls(messages).find(({ use }) => use.id === id)?.use;
}

function strayAnswer(id: string | undefined, orphan: ToolUseBlock | undefined): string | undefined {
  if (id === undefined || orphan !== undefined) return undefined;
  return `The call ${id.slice(0, 80)} does not wait for a permission in this session: the answer was not used.`;
}

/** Whoever resumes expects a past: that there is none must be seen. */
function emptiness(sessionId: string, messages: readonly Message[]): string | undefined {
  return messages.length > 0 ? undefined : `Session ${sessionId} holds no messages: it begins anew.`;
}
