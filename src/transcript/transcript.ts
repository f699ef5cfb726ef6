/** The Transcript port over one file: opened with the first record, one write per record, each record linked to its parent. */
import { dirname } from "node:path";
import type { AppendResult, Message, TranscriptPort, Usage } from "../protocol/index.ts";
import { isoTime } from "../lib/iso-time.ts";
import { appendFailure, tooLargeError, type MessageAppendResult } from "./append-failure.ts";
import { clientLine, clientReachBytes, missingClientLines } from "./client-lines.ts";
import { TranscriptError } from "./error.ts";
import { reasonOf, systemCode } from "../lib/system-reason.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { isLineLongerThan, lineText, type UnwrittenLine } from "./line-bytes.ts";
import { openLineWriter, type LineWriter } from "./line-writer.ts";
import { acquireLock, type SessionLock } from "./lock.ts";
import { MessageChain } from "./message-chain.ts";
import { agentIdOf } from "./paths.ts";
import type { ProcessTable } from "./process-table.ts";
import type { ResumePoint } from "./read.ts";
import {
  applyFact,
  factLine,
  maximumLineBytes,
  messageLine,
  withoutClientOutput,
  type CommonFields,
  type FactData,
  type FactKind,
  type SessionFacts,
  type Snapshot,
} from "./record.ts";
import type { TailRepair } from "./tail.ts";

export interface TranscriptOptions {
  /** `transcriptPath(projectFolder(home, cwd), sessionId)`. */
  path: string;
  sessionId: string;
  cwd: string;
  version: string;
  gitBranch?: string;
  clock: { now(): number };
  ids: { uuid(): string };
  /** `process`: records survive the death of this process. `power`: prompts, calls and turn ends also survive that of the machine. */
  durability: "process" | "power";
  /** Extra facts for the first line of a new transcript. */
  facts?: Omit<SessionFacts, "createdAt" | "cwd">;
  /** Continues an existing transcript, from `readSession`. Without it the file must not exist yet. */
  resume?: ResumePoint;
  /** A lock that the caller already holds, to read the session first; otherwise one is taken. `close` releases either. */
  lock?: SessionLock;
  /** Asked at each boundary for what its record carries besides the facts appended here. */
  snapshot?: () => Partial<Snapshot>;
  fs?: TranscriptFileSystem;
  processes?: ProcessTable;
  /** Called with each line that was written. */
  mirror?: { wrote(path: string, line: string): void } | undefined;
}

export interface Transcript extends TranscriptPort {
  readonly path: string;
  readonly sessionId: string;
  append(message: Message, soFar?: Usage): MessageAppendResult;
  appendMeta<K extends FactKind>(kind: K, data: FactData[K]): AppendResult;
  /** Whether a message with this id was written recently: a second one would be ignored. */
  has(uuid: string): boolean;
  /** The newest value of each fact, whichever part of this process appended it. */
  currentFacts(): Readonly<Snapshot>;
  /** The repair made at the end of the file; undefined until the first append of this process. */
  tailRepair(): TailRepair | undefined;
  /** Closes the file and releases the lock. May be called twice. */
  close(): void;
}

/** Throws `TranscriptError`: `locked` with the other process's pid, `exists`, `io`. The first append opens the file itself. */
export function openTranscript(options: TranscriptOptions): Transcript {
  const fs = options.fs ?? nodeFileSystem;
  const { processes, clock } = options;
  const lock = options.lock ?? acquireLock(options.path, { fs, processes, now: () => clock.now() });
  try {
    if (options.resume === undefined) refuseExisting(fs, options);
  } catch (error) {
    lock.release();
    throw error;
  }
  const transcript = new FileTranscript(options, fs, lock);
  openTranscripts.set(options.path, new WeakRef(transcript));
  openTranscriptCleanup.register(transcript, options.path);
  return transcript;
}

const appended: AppendResult = { ok: true };

class FileTranscript implements Transcript {
  readonly path: string;
  readonly sessionId: string;
  readonly #options: TranscriptOptions;
  readonly #fs: TranscriptFileSystem;
  readonly #lock: SessionLock;
  readonly #common: CommonFields;
  /** The number of the next line. */
  #seq: number;
  /** Knows the latest messages: makes appends idempotent without keeping every id forever. */
  readonly #chain: MessageChain;
  #snapshot: Snapshot;
  /** Opened by the first write, so that an idle session has no open descriptor. */
  #writer: LineWriter | undefined;
  #isClosed = false;

  constructor(options: TranscriptOptions, fs: TranscriptFileSystem, lock: SessionLock) {
    const { resume } = options;
    this.path = options.path;
    this.sessionId = options.sessionId;
    this.#options = options;
    this.#fs = fs;
    this.#lock = lock;
    const agentId = agentIdOf(options.path);
    this.#common = { ...options, isSidechain: agentId !== undefined, ...(agentId === undefined ? {} : { agentId }) };
    this.#seq = resume?.nextSeq ?? 0;
    this.#chain = new MessageChain(resume?.leafUuid ?? null, resume?.recentUuids ?? []);
    this.#snapshot = resume?.snapshot ?? {};
  }

  append(message: Message, soFar?: Usage): MessageAppendResult {
    if (this.has(message.uuid)) return appended;
    const failure = this.#writeRecord(() => this.#messageLine(message, soFar), mustSync(message));
    if (failure !== undefined) return failure;
    this.#chain.add(message);
    return appended;
  }

  has(uuid: string): boolean {
    return this.#chain.has(uuid);
  }

  appendMeta<K extends FactKind>(kind: K, data: FactData[K]): AppendResult {
    const failure = this.#writeRecord(() => this.#factLine(kind, data, this.#now()), mustSyncFact(kind));
    if (failure !== undefined) return failure;
    this.#snapshot = applyFact(this.#snapshot, kind, data);
    const forClients = clientLine(kind, data, this.sessionId);
    if (forClients !== undefined) this.#writeForClients(forClients);
    return appended;
  }

  currentFacts(): Readonly<Snapshot> {
    return this.#snapshot;
  }

  tailRepair(): TailRepair | undefined {
    return this.#writer?.repair;
  }

  close(): void {
    if (findOpenTranscript(this.path) === this) openTranscripts.delete(this.path);
    try {
      if (!this.#isClosed) this.#closeFile();
    } catch (error) {
      // Each record's own write was checked, so a failed close loses nothing.
      if (systemCode(error) === undefined && !(error instanceof TranscriptError)) throw error;
    } finally {
      this.#isClosed = true;
      this.#lock.release();
    }
  }

  #closeFile(): void {
    const writer = this.#writer;
    if (writer === undefined) return;
    try {
      const marks = { ...this.#snapshot, ...writer.marksByOthers() };
      if (marks.title === undefined && marks.tag === undefined) return;
      const missing = missingClientLines(marks, this.sessionId, writer.tail(clientReachBytes));
      for (const line of missing) writer.append(line, false);
    } finally {
      writer.close();
    }
  }

  /** Returns why the record could not be written; undefined once it is. `needsSync`: it is to survive the death of the machine. */
  #writeRecord(makeLine: () => UnwrittenLine, needsSync: boolean): ReturnType<typeof appendFailure> | undefined {
    const isSynced = this.#options.durability === "power" && needsSync;
    try {
      if (this.#seq === 0) this.#writeFirstLine(isSynced);
      this.#write(makeLine(), isSynced);
      return undefined;
    } catch (error) {
      return appendFailure(this.#options, this.#seq === 0, error);
    }
  }

  /**
   * Writes a line that is no record of the session and has no number. It comes after the session's own, which a reader of stored entries
   * takes for a tag that was taken off.
   */
  #writeForClients(line: UnwrittenLine): void {
    try {
      this.#writer?.append(line, false);
      this.#options.mirror?.wrote(this.path, lineText(line));
    } catch (error) {
      // The fact itself is recorded: the line is tried again at the end.
      if (systemCode(error) === undefined && !(error instanceof TranscriptError)) throw error;
    }
  }

  #writeFirstLine(isSynced: boolean): void {
    const { facts, cwd } = this.#options;
    const createdAt = this.#now();
    this.#write(this.#factLine("session", { ...facts, createdAt, cwd }, createdAt), isSynced);
  }

  /** Throws the system's error or `TranscriptError`; then nothing of the line is in the file, and the position stays. */
  #write(line: UnwrittenLine, isSynced: boolean): void {
    const writer = this.#openWriter();
    if (isLineLongerThan(line, maximumLineBytes)) throw tooLargeError(line.length);
    writer.append(line, isSynced);
    this.#options.mirror?.wrote(this.path, lineText(line));
    this.#seq++;
  }

  #openWriter(): LineWriter {
    if (this.#isClosed) throw new TranscriptError("io", "the session is closed");
    return (this.#writer ??= this.#open());
  }

  #open(): LineWriter {
    this.#fs.makeFolder(dirname(this.path));
    const opened = openLineWriter(this.#fs, this.path, this.#options.resume?.readTo);
    if (this.#seq === 0 || opened.sizeAtOpen > 0) return opened;
    opened.close();
    throw new TranscriptError("not_found", "it was emptied or removed since it was read");
  }

  #messageLine(message: Message, soFar: Usage | undefined): UnwrittenLine {
    const isBoundary = message.type === "compact_boundary";
    // Another program may have renamed the session meanwhile: a boundary carries the newest title and must not take that back.
    if (isBoundary) this.#snapshot = { ...this.#snapshot, ...this.#openWriter().marksByOthers() };
    const snapshot = isBoundary ? { ...this.#snapshot, ...this.#options.snapshot?.() } : undefined;
    const more = { snapshot, soFar };
    const position = { seq: this.#seq, parentUuid: this.#chain.parentOf(message) };
    const line = messageLine(message, position, this.#common, more);
    const smaller = line.length >= maximumLineBytes ? withoutClientOutput(message) : undefined;
    return smaller === undefined ? line : messageLine(smaller, position, this.#common, more);
  }

  #factLine<K extends FactKind>(kind: K, data: FactData[K], timestamp: string): UnwrittenLine {
    const { ids } = this.#options;
    const position = { seq: this.#seq, parentUuid: this.#chain.leafUuid };
    return factLine(kind, data, { uuid: ids.uuid(), timestamp }, position, this.#common);
  }

  #now(): string {
    return isoTime(this.#options.clock.now());
  }
}

/** This process's open transcripts by path: additions go through them. Weak, so that a session nobody closed can be freed. */
const openTranscripts = new Map<string, WeakRef<Transcript>>();
const openTranscriptCleanup = new FinalizationRegistry<string>((path) => {
  if (findOpenTranscript(path) === undefined) openTranscripts.delete(path);
});

export function findOpenTranscript(path: string): Transcript | undefined {
  return openTranscripts.get(path)?.deref();
}

function refuseExisting(fs: TranscriptFileSystem, { path, sessionId }: TranscriptOptions): void {
  let size: number;
  try {
    size = fs.statusOf(path)?.size ?? 0;
  } catch (error) {
    throw new TranscriptError("io", `The transcript ${path} could not be reached: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
  if (size === 0) return;
  const way = `Continue it with --resume ${sessionId}, or choose another id.`;
  throw new TranscriptError("exists", `The session ${sessionId} exists already. ${way}`);
}

/**
 * What `power` makes durable before going on: calls about to run, and everything the next request is built from. Words of a response become
 * durable with its end.
 */
function mustSync(message: Message): boolean {
  if (message.type === "assistant") return message.content.some((block) => block.type === "tool_use");
  return message.type !== "notice" && message.type !== "transition";
}

/** Facts about imminent changes to the world, and changes that a resume must not believe undone. */
function mustSyncFact(kind: FactKind): boolean {
  return kind === "file_change" || kind === "tree_snapshot" || kind === "tool_started";
}
