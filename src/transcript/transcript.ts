/** The Transcript port over one file: opened with the first record, one write a record, one parent after the other. */
import { dirname } from "node:path";
import type { AppendResult, Message, TranscriptPort } from "../protocol/index.ts";
import { reasonOf, systemCode, TranscriptError } from "./error.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { openLineWriter, type LineWriter } from "./line-writer.ts";
import { acquireLock, type SessionLock } from "./lock.ts";
import type { ProcessTable } from "./process-table.ts";
import type { ResumePoint } from "./read.ts";
import {
  applyFact,
  constantFields,
  factLine,
  maximumLineBytes,
  messageLine,
  withoutClientOutput,
  type FactData,
  type FactKind,
  type SessionFacts,
  type Snapshot,
} from "./record.ts";
import { createRecentSet } from "./recent-set.ts";
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
  /** `process`: a record survives the death of this process; `power`: and, at prompts, calls and turn ends, of the machine. */
  durability: "process" | "power";
  /** Written into the first line of a new transcript. */
  facts?: Omit<SessionFacts, "createdAt" | "cwd">;
  /** Goes on with a transcript that exists, from `readSession`. Without it the file must not exist yet. */
  resume?: ResumePoint;
  /** A lock the caller holds already, so that it could read the session first. Else one is taken; `close` releases either. */
  lock?: SessionLock;
  /** What a boundary record carries beside the facts appended here: asked for at each boundary. */
  snapshot?: () => Partial<Snapshot>;
  fs?: TranscriptFileSystem;
  processes?: ProcessTable;
  /** Told of each line that was written. */
  mirror?: { wrote(path: string, line: string): void } | undefined;
}

export interface Transcript extends TranscriptPort {
  readonly path: string;
  readonly sessionId: string;
  append(message: Message): AppendResult;
  appendMeta<K extends FactKind>(kind: K, data: FactData[K]): AppendResult;
  /** The newest of each fact, whoever of this process said it. */
  stated(): Readonly<Snapshot>;
  /** What was mended at the end of the file; undefined until the first append of this process. */
  tailRepair(): TailRepair | undefined;
  /** Closes the file and releases the lock. May be called twice. */
  close(): void;
}

/** Throws `TranscriptError`: `locked` with the other process's pid, `exists`, `io`. The file itself is opened by the first append. */
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
  const state = createState(options);
  const file = createFile(fs, options.path);
  const isPower = options.durability === "power";

  function write(line: string, how: { sync: boolean; mayBeEmpty: boolean }): void {
    file.write(line, how);
    options.mirror?.wrote(options.path, line.trimEnd());
  }

  /** Writes the line `make` gives for the next position; the position moves only where the write succeeded. */
  function put(make: () => string, sync: boolean): AppendResult {
    try {
      if (state.seq === 0) {
        write(state.firstLine(), { sync, mayBeEmpty: true });
        state.seq = 1;
      }
      write(make(), { sync, mayBeEmpty: false });
      state.seq++;
      return { ok: true };
    } catch (error) {
      return failed(options, error);
    }
  }

  const transcript: Transcript = {
    path: options.path,
    sessionId: options.sessionId,
    append(message) {
      if (state.recent.has(message.uuid)) return { ok: true };
      const result = put(() => state.lineOf(message, options.snapshot), isPower && isBorder(message));
      if (result.ok) state.took(message.uuid);
      return result;
    },
    appendMeta(kind, data) {
      const result = put(() => state.factLineOf(kind, data), isPower && isFactBorder(kind));
      if (result.ok) state.snapshot = applyFact(state.snapshot, kind, data);
      return result;
    },
    stated: () => state.snapshot,
    tailRepair: () => file.repair(),
    close() {
      if (transcriptOpenHere(options.path) === transcript) openHere.delete(options.path);
      try {
        file.close();
      } finally {
        lock.release();
      }
    },
  };
  openHere.set(options.path, new WeakRef(transcript));
  forgotten.register(transcript, options.path);
  return transcript;
}

/** Those of this process by path: what is to be added to one of them goes through it. A session that nobody closed is not kept by it. */
const openHere = new Map<string, WeakRef<Transcript>>();
const forgotten = new FinalizationRegistry<string>((path) => {
  if (transcriptOpenHere(path) === undefined) openHere.delete(path);
});

export function transcriptOpenHere(path: string): Transcript | undefined {
  return openHere.get(path)?.deref();
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
  const way = `Go on with it by --resume ${sessionId}, or choose another id.`;
  throw new TranscriptError("exists", `The session ${sessionId} exists already. ${way}`);
}

/** The file behind the transcript: opened by its first write, so that an idle session holds no descriptor. */
function createFile(fs: TranscriptFileSystem, path: string) {
  let writer: LineWriter | undefined;
  let closed = false;
  return {
    /** Throws the system's error or `TranscriptError`; nothing of the line is then in the file. */
    write(line: string, { sync, mayBeEmpty }: { sync: boolean; mayBeEmpty: boolean }): void {
      if (closed) throw new TranscriptError("io", "the session is closed");
      if (isTooLong(line)) throw tooLarge(line.length);
      if (writer === undefined) {
        fs.makeFolder(dirname(path));
        const opened = openLineWriter(fs, path);
        if (!mayBeEmpty && opened.sizeAtOpen === 0) {
          opened.close();
          throw new TranscriptError("not_found", "it was emptied or removed since it was read");
        }
        writer = opened;
      }
      writer.append(line, { sync });
    },
    repair: () => writer?.repair,
    close(): void {
      if (closed) return;
      closed = true;
      try {
        writer?.close();
      } catch (error) {
        // Each record's own write was checked: a close that fails takes nothing back.
        if (systemCode(error) === undefined) throw error;
      }
    },
  };
}

function createState(options: TranscriptOptions) {
  const { resume, sessionId, cwd, version, gitBranch, clock, ids } = options;
  const constant = constantFields({ sessionId, cwd, version, gitBranch });
  const timestamp = () => new Date(clock.now()).toISOString();
  const state = {
    seq: resume?.nextSeq ?? 0,
    leafUuid: resume?.leafUuid ?? null,
    snapshot: resume?.snapshot ?? ({} as Snapshot),
    recent: createRecentSet(1024, resume?.recentUuids),
    took(uuid: string): void {
      state.leafUuid = uuid;
      state.recent.add(uuid);
    },
    position: () => ({ seq: state.seq, parentUuid: state.leafUuid }),
    lineOf(message: Message, asked: TranscriptOptions["snapshot"]): string {
      const snapshot = message.type === "compact_boundary" ? { ...state.snapshot, ...asked?.() } : undefined;
      const line = messageLine(message, state.position(), constant, snapshot);
      const smaller = line.length > maximumLineBytes ? withoutClientOutput(message) : undefined;
      return smaller === undefined ? line : messageLine(smaller, state.position(), constant, snapshot);
    },
    factLineOf<K extends FactKind>(kind: K, data: FactData[K]): string {
      return factLine(kind, data, { uuid: ids.uuid(), timestamp: timestamp() }, state.position(), constant);
    },
    firstLine(): string {
      const createdAt = timestamp();
      return factLine(
        "session",
        { ...options.facts, createdAt, cwd },
        { uuid: ids.uuid(), timestamp: createdAt },
        state.position(),
        constant,
      );
    },
  };
  return state;
}

/**
 * What `power` makes durable before going on: calls about to run, and all that the next request is made of. Words of a response
 * are durable with its end.
 */
function isBorder(message: Message): boolean {
  if (message.type === "assistant") return message.content.some((block) => block.type === "tool_use");
  return message.type !== "notice" && message.type !== "transition";
}

/** What is about to happen to the world, and what a resume must not believe undone. */
function isFactBorder(kind: FactKind): boolean {
  return kind === "file_change" || kind === "tree_snapshot" || kind === "tool_started";
}

/** Counted only where the number of characters leaves it open. */
function isTooLong(line: string): boolean {
  if (line.length * 3 <= maximumLineBytes) return false;
  return line.length > maximumLineBytes || Buffer.byteLength(line) > maximumLineBytes;
}

function tooLarge(length: number): TranscriptError {
  const size = Math.round(length / (1024 * 1024));
  return new TranscriptError(
    "too_large",
    `one message of ${size} MB is more than a transcript takes (${maximumLineBytes / (1024 * 1024)} MB)`,
  );
}

function failed(options: TranscriptOptions, error: unknown): AppendResult {
  const message =
    `The session's transcript ${options.path} could not be written: ${reasonOf(error)}. ` +
    `What was recorded before is intact. Once the cause is removed, go on with --resume ${options.sessionId}.`;
  return { ok: false, failure: { kind: "transcript", message } };
}
