/** Replays one recorded run through the real loop, and compares what it does with the recording. */
import { isDeepStrictEqual } from "node:util";
import { createCancel } from "../../loop/cancel.ts";
import { createNormalizer } from "../../loop/normalize.ts";
import { query } from "../../loop/query.ts";
import { RunMemory } from "../../loop/run-memory.ts";
import { configOfRun, limitsOfRun } from "../../loop/run-note.ts";
import { sentThinking } from "../../loop/sent-thinking.ts";
import { createState } from "../../loop/state.ts";
import type { LoopConfig } from "../../loop/ports.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelInfo, ModelRequest, ThinkingSetting } from "../../protocol/model.ts";
import type { AppendResult, RunBegin } from "../../protocol/record.ts";
import type { Terminal } from "../../protocol/stop.ts";
import type { RecordedRun } from "../../transcript/runs.ts";
import { ReplayClock } from "./clock.ts";
import { describeRecord, describeRecords, isSameRecord, terminalText } from "./compare.ts";
import { Playback } from "./playback.ts";
import { replayModel } from "./playback-model.ts";
import { replayBudget, replayContext, replayQueue, replayRetry, replayTurnEnd, type Fold } from "./playback-ports.ts";
import { replayCalls } from "./playback-tools.ts";

/** The first point where today's loop differs from the recording. */
export interface ReplayDifference {
  /** Number of the pass in the run, from 1; each pass is one request and what follows from it. */
  pass: number;
  /** `decision`: another Continue or Terminal. `record`: the same decision but other messages. `request`: another request to the model. */
  kind: "decision" | "record" | "request" | "stuck";
  recorded: string;
  replayed: string;
}

export interface ReplayedRun {
  /** The decisions in order, up to the first difference; the Terminal is last. */
  decisions: string[];
  difference: ReplayDifference | null;
  /** Whether the process died in the run: it was replayed up to there. */
  isCutOff: boolean;
  /** Names of notices that people get today and did not get then. */
  newNotices: string[];
}

export interface ReplayRooms {
  infoOf: (model: string) => ModelInfo;
  fold: Fold;
}

/** After this many idle moments, the replay counts as an endless loop. */
const maxIdleMoments = 10_000;

export async function replayRun(run: RecordedRun, begin: RunBegin, rooms: ReplayRooms): Promise<ReplayedRun> {
  return await new Replay(run, begin, rooms).play();
}

class Replay {
  readonly #run: RecordedRun;
  readonly #begin: RunBegin;
  readonly #rooms: ReplayRooms;
  readonly #cancel = createCancel();
  readonly #clock = new ReplayClock();
  readonly #playback: Playback;
  readonly #decisions: string[] = [];
  readonly #conversation: Message[];
  readonly #normalize = createNormalizer();
  readonly #memory = new RunMemory();
  readonly #config: LoopConfig;
  /** Of the model that was chosen, or took over, last. */
  #thinking: ThinkingSetting;
  /** Recorded messages of this pass that the replay has not produced yet. */
  #expected: Message[];
  /** Messages produced in this pass that are not recorded. */
  #extra: Message[] = [];
  readonly #newNotices = new Set<string>();
  #difference: ReplayDifference | null = null;
  #isOver = false;
  #isDone = false;
  #activity = 0;
  #requests = 0;
  #ids = 0;

  constructor(run: RecordedRun, begin: RunBegin, rooms: ReplayRooms) {
    this.#run = run;
    this.#begin = begin;
    this.#rooms = rooms;
    this.#playback = new Playback(run, this.#cancel);
    this.#conversation = [...run.before];
    this.#expected = [...this.#playback.pass.messages];
    const fixed = { sessionId: "replay", system: [], querySource: "main" as const, includeRawEvents: false };
    this.#config = { ...fixed, ...configOfRun(begin) };
    this.#thinking = this.#config.thinking;
  }

  async play(): Promise<ReplayedRun> {
    const { model, agentId } = this.#begin;
    const state = createState({ messages: this.#run.before, model, agentId: agentId ?? undefined });
    const limits = { ...limitsOfRun(this.#begin), toolConcurrency: Infinity, resultCharsPerMessage: Infinity };
    const fixed = { state, config: this.#config, limits, cancel: this.#cancel, memory: this.#memory };
    const steps = query({ ...fixed, ports: this.#ports() });
    const watch = this.#watchIdle();
    try {
      for (;;) {
        const step = await steps.next();
        this.#activity++;
        if (step.done === true) {
          this.#compareEnd(step.value);
          break;
        }
        if (this.#isOver || this.#wasLeftByReader()) {
          await steps.return(undefined as never);
          this.#compareEnd(null);
          break;
        }
      }
    } finally {
      this.#isDone = true;
      await watch;
    }
    return {
      decisions: this.#decisions,
      difference: this.#difference,
      isCutOff: this.#playback.isCutOff,
      newNotices: [...this.#newNotices],
    };
  }

  #ports() {
    const playback = this.#playback;
    const notes = this.#run.entries.flatMap((entry) => (entry.kind === "note" ? [entry.note] : []));
    const retries = notes.flatMap((note) => (note.at === "retry" ? [note.maxRetries] : []));
    return {
      ...replayCalls(playback),
      model: replayModel(playback, this.#rooms.infoOf, (request, isPaused) => this.#checkRequest(request, isPaused)),
      chosenModel: () => this.#withThinking(playback.pass.chosenModel),
      modelSettings: (model: string) => this.#withThinking(playback.pass.fallbacks.get(model)),
      retry: replayRetry(retries),
      turnEnd: replayTurnEnd(playback),
      context: replayContext(playback, this.#rooms.fold),
      budget: replayBudget(playback),
      queue: replayQueue(playback),
      transcript: { append: (message: Message) => this.#append(message) },
      clock: this.#clock,
      ids: { uuid: () => `replay-${++this.#ids}`, random: () => 0.5 },
    };
  }

  /** From here on, requests are expected to think as the recorded settings say. */
  #withThinking<T extends { thinking: ThinkingSetting }>(settings: T | undefined): T | undefined {
    this.#thinking = settings?.thinking ?? this.#thinking;
    return settings;
  }

  #append(message: Message): AppendResult {
    this.#activity++;
    if (this.#isOver) return { ok: true };
    const at = this.#expected.findIndex((recorded) => isSameRecord(recorded, message));
    const { terminal, isLast, isCutOff } = this.#playback;
    if (at < 0) {
      if (isUnwritten(terminal)) return { ok: false, failure: terminal.error };
      if (isCutOff && isLast && this.#expected.length === 0) this.#isOver = true;
      else this.#reportUnrecorded(message);
      return { ok: true };
    }
    const [recorded] = this.#expected.splice(at, 1);
    message.uuid = recorded!.uuid;
    message.timestamp = recorded!.timestamp;
    this.#rooms.fold(this.#conversation, message);
    if (message.type === "transition") this.#onTransition(message.transition.reason);
    return { ok: true };
  }

  #reportUnrecorded(message: Message): void {
    if (message.type === "transition")
      return this.#reportOtherDecision(message.transition.reason, describeRecord(message));
    // A notice is only for people: no decision or request depends on it.
    if (message.type === "notice") this.#newNotices.add(message.name);
    else this.#extra.push(message);
    this.#rooms.fold(this.#conversation, message);
  }

  /** The loop made the recorded Continue. */
  #onTransition(reason: string): void {
    this.#decisions.push(reason);
    if (!this.#compareRecords()) return;
    this.#playback.next();
    this.#expected = [...this.#playback.pass.messages];
  }

  #compareRecords(): boolean {
    if (this.#extra.length === 0 && this.#expected.length === 0) return true;
    this.#differ("record", describeRecords(this.#expected), describeRecords(this.#extra));
    return false;
  }

  #reportOtherDecision(reason: string, replayed: string): void {
    this.#decisions.push(reason);
    this.#differ("decision", this.#recordedDecision(), replayed);
  }

  #recordedDecision(): string {
    const { pass, terminal, isCutOff } = this.#playback;
    if (pass.transition !== null) return describeRecord(pass.transition);
    if (terminal !== null) return `the end ${terminalText(terminal)}`;
    return isCutOff ? "the end of the recording" : "the run was left";
  }

  #compareEnd(terminal: Terminal | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const recorded = this.#playback.terminal;
    if (this.#playback.isLast && recorded === null) {
      const isDone = this.#playback.isCutOff && this.#expected.length === 0;
      if (terminal !== null && !this.#cancel.cause && !isDone)
        this.#reportOtherDecision(terminal.reason, `the end ${terminalText(terminal)}`);
      else this.#decisions.push("left");
      return;
    }
    // A record that could not be written says nothing about the loop.
    if (isUnwritten(recorded) && this.#expected.length === 0) return void this.#decisions.push("model_error");
    if (recorded === null || terminal === null || terminalText(recorded) !== terminalText(terminal))
      return this.#reportOtherDecision(
        terminal?.reason ?? "left",
        terminal === null ? "left" : `the end ${terminalText(terminal)}`,
      );
    this.#decisions.push(terminal.reason);
    this.#compareRecords();
  }

  /** Checks that the request follows from the records alone, so that a resume would send the same. */
  #checkRequest(request: ModelRequest, paused: boolean): void {
    this.#activity++;
    if (this.#isOver) return;
    const info = this.#rooms.infoOf(request.model);
    const thoughts = sentThinking(this.#thinking, info, this.#memory.unsigned.has(request.model));
    const { maxImages, compaction } = info;
    const rules = { model: request.model, ...thoughts, maxImages, paused, compaction };
    const { messages } = this.#normalize([...this.#conversation], rules);
    const from = this.#requests++ === 0 ? 0 : Math.max(0, messages.length - 40);
    const isSame = messages.length === request.messages.length;
    if (isSame && isDeepStrictEqual(messages.slice(from), request.messages.slice(from))) return;
    const at = messages.findIndex((message, index) => !isDeepStrictEqual(message, request.messages[index]));
    const what = `${messages.length} messages, from message ${at + 1} on`;
    this.#differ("request", `the records say ${what}`, `${request.messages.length} messages are sent`);
  }

  #differ(kind: ReplayDifference["kind"], recorded: string, replayed: string): void {
    this.#difference ??= { pass: this.#playback.passNumber, kind, recorded, replayed };
    this.#isOver = true;
    this.#cancel.cancel("consumer");
  }

  /** Whether the reader left when only records of the way out remained. */
  #wasLeftByReader(): boolean {
    const { isLast, terminal, isCutOff } = this.#playback;
    if (!isLast || terminal !== null || isCutOff || this.#playback.hasAttemptsLeft) return false;
    return this.#expected.every((message) => this.#isInterruptionRecord(message));
  }

  #isInterruptionRecord(message: Message): boolean {
    if (message.type !== "user") return false;
    if (message.origin === "interruption") return true;
    return message.content.every(
      (block) => block.type === "tool_result" && this.#playback.stoppedAt(block.tool_use_id) !== null,
    );
  }

  /** Runs what waits until nothing else can happen. */
  async #watchIdle(): Promise<void> {
    let seen = -1;
    for (let idle = 0; !this.#isDone;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#isDone) return;
      if (seen !== this.#activity) {
        seen = this.#activity;
        continue;
      }
      if (++idle < maxIdleMoments) this.#onIdle();
      else this.#differ("stuck", "it went on", "it loops without an end");
    }
  }

  #onIdle(): void {
    const playback = this.#playback;
    if (playback.releaseQuiet()) return;
    if (playback.isInterruptedHere && this.#cancel.cause === null) {
      if (playback.isCutOff) this.#isOver = true;
      this.#cancel.cancel(playback.cause);
      return;
    }
    if (this.#clock.advance() || this.#isOver) return;
    this.#differ("stuck", "it went on", "it waits for something that is not in the recording");
  }
}

function isUnwritten(terminal: Terminal | null): terminal is Extract<Terminal, { reason: "model_error" }> {
  return terminal?.reason === "model_error" && terminal.error.kind === "transcript";
}
