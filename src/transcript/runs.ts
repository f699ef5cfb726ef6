/** A transcript as a sequence of runs, as a replay plays them. Memory is limited to the conversation and one run. */
import type { Message, RunBegin, RunNote, SnipReplay } from "../protocol/index.ts";
import type { TranscriptFileSystem } from "./file-system.ts";
import { foldMessageInto } from "./fold.ts";
import { eachLine, type Line } from "./lines.ts";
import { isNextInChain } from "./message-chain.ts";
import { toolResultsIn } from "./pairing.ts";
import { parseRecord } from "./parse.ts";
import { openForReading, toReadError } from "./read.ts";
import { seqAfter, type TranscriptRecord } from "./record.ts";
import { isRepairResult } from "./repair.ts";

/** The notes of a run between its beginning and its end. */
export type MidRunNote = Exclude<RunNote, { at: "begin" | "end" }>;

export type RunEntry = { kind: "message"; message: Message } | { kind: "note"; note: MidRunNote };

export interface RecordedRun {
  /** The conversation with which the run began. */
  before: readonly Message[];
  /** Undefined if the run was recorded by a version that did not note it. */
  begin: RunBegin | undefined;
  entries: RunEntry[];
  /** Undefined if the process died, or the end was not noted. */
  end: Extract<RunNote, { at: "end" }> | undefined;
  /** Calls that were started; null if starts were not recorded. */
  startedCalls: ReadonlySet<string> | null;
  /** Why records of this run or before it are missing. */
  damage: string | undefined;
}

/** Reads a transcript run by run. Call `close()` afterwards. The constructor throws `TranscriptError`. */
export class RunReader {
  sessionId = "";
  readonly #fs: TranscriptFileSystem;
  readonly #path: string;
  readonly #descriptor: number;
  readonly #size: number;
  readonly #snipReplay: SnipReplay | undefined;
  readonly #conversation: Message[] = [];
  #startedCalls = new Set<string>();
  #recordsStarts = false;
  #offset = 0;
  #nextSeq = 0;
  #leafUuid: string | null = null;
  #run: RecordedRun | null = null;
  readonly #seenUuids = new Set<string>();
  /** What is missing from the conversation; a replay needs it exactly as it was. */
  #damage: string | undefined;

  constructor(path: string, fs: TranscriptFileSystem, snipReplay?: SnipReplay) {
    this.#fs = fs;
    this.#path = path;
    this.#snipReplay = snipReplay;
    this.#descriptor = openForReading(fs, path);
    this.#size = fs.status(this.#descriptor).size;
  }

  /** Returns the next run; undefined after the last. Throws `TranscriptError`. */
  next(): RecordedRun | undefined {
    let isOver = false;
    try {
      eachLine(this.#fs, this.#descriptor, { from: this.#offset, to: this.#size }, (line) => {
        if (this.#takeLine(line)) {
          isOver = true;
          return false;
        }
        this.#offset = line.offset + line.length + 1;
        isOver = this.#run?.end !== undefined;
        return !isOver;
      });
    } catch (error) {
      throw toReadError(this.#path, error);
    }
    if (!isOver) this.#offset = this.#size;
    const run = this.#run;
    this.#run = null;
    if (run === null) return undefined;
    for (const entry of run.entries) if (entry.kind === "message") this.#fold(entry.message);
    return run;
  }

  close(): void {
    this.#fs.close(this.#descriptor);
  }

  /** Processes a line; returns true if it is the first that no longer belongs to the run. */
  #takeLine(line: Line): boolean {
    if (line.bytes?.length === 0) return false;
    const parsed = line.bytes === undefined ? undefined : parseRecord(line.bytes);
    if (parsed?.ok !== true) {
      if (parsed?.unknown === true) this.#takeUnknown(parsed);
      else if (line.hasLineFeed) this.#noteDamage("a line that cannot be read");
      return false;
    }
    const { record } = parsed;
    if (this.#run !== null && endsRun(record)) return true;
    if (this.#seenUuids.has(record.uuid)) return false;
    this.#seenUuids.add(record.uuid);
    this.#takeSeq(record.seq);
    this.sessionId = record.sessionId;
    if (!("message" in record)) this.#takeFact(record);
    else {
      // A copy has new line numbers; a gap in the original shows only in the parents of its messages.
      if (!isNextInChain(record, this.#leafUuid, this.#seenUuids)) this.#noteDamage("messages that are not there");
      this.#leafUuid = record.uuid;
      this.#takeMessage(record.message);
    }
    return false;
  }

  #takeUnknown({ seq, isMessage }: { seq?: number; isMessage?: true }): void {
    if (isMessage === true) this.#noteDamage("a message that only a newer version knows");
    if (seq !== undefined) this.#takeSeq(seq);
  }

  #takeSeq(seq: number): void {
    if (seq > this.#nextSeq) this.#noteDamage("lines that are not there");
    this.#nextSeq = Math.max(this.#nextSeq, seqAfter(seq));
  }

  #takeMessage(message: Message): void {
    // A run recorded by a version that did not note its runs.
    if (this.#run === null && isRunMessage(message)) this.#run = this.#openRun(undefined);
    if (this.#run === null) this.#fold(message);
    else this.#run.entries.push({ kind: "message", message });
  }

  #takeFact(record: Exclude<TranscriptRecord, { message: Message }>): void {
    if (record.type === "session") this.#recordsStarts = record.data.recordsToolStarts === true;
    if (record.type === "tool_started") {
      // If the first line is lost, only this shows that starts are recorded.
      this.#recordsStarts = true;
      this.#startedCalls.add(record.data.toolUseId);
    }
    if (record.type !== "run") return;
    const note = record.data;
    if (note.at === "begin") this.#run = this.#openRun(note);
    else if (note.at === "end") this.#run = { ...(this.#run ?? this.#openRun(undefined)), end: note };
    else this.#run?.entries.push({ kind: "note", note });
  }

  #openRun(begin: RunBegin | undefined): RecordedRun {
    this.#startedCalls = new Set();
    return {
      before: [...this.#conversation],
      begin,
      entries: [],
      end: undefined,
      startedCalls: this.#recordsStarts ? this.#startedCalls : null,
      damage: this.#damage,
    };
  }

  #noteDamage(why: string): void {
    this.#damage ??= why;
    if (this.#run !== null) this.#run.damage ??= why;
  }

  #fold(message: Message): void {
    // A boundary contains the whole conversation.
    if (message.type === "compact_boundary") this.#damage = undefined;
    foldMessageInto(this.#conversation, message, this.#snipReplay);
  }
}

/** Message types that only a run produces. */
function isRunMessage(message: Message): boolean {
  return message.type === "assistant" || message.type === "response_end" || message.type === "transition";
}

/** Records that a run never produces: the next prompt, the repair of an interrupted run, the beginning of the next run. */
function endsRun(record: TranscriptRecord): boolean {
  if (record.type === "run") return record.data.at === "begin";
  if (!("message" in record)) return false;
  if (record.message.type === "compact_boundary")
    return record.message.trigger === "manual" || record.message.trigger === "rewound";
  if (record.message.type !== "user") return false;
  const { origin, isMeta } = record.message;
  if (origin === "human" || origin === "context") return true;
  const results = toolResultsIn(record.message);
  if (results.length > 0) return results.some(isRepairResult);
  return origin === undefined && isMeta !== true;
}
