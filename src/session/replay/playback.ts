/** The position of a replay in its recording, and the tasks that wait until nothing else can happen. */
import { onAbort } from "../../lib/on-abort.ts";
import { cancelledResult, isNotPermitted, notRun, siblingFailed, toolUseError } from "../../loop/texts.ts";
import type { Cancel } from "../../loop/cancel.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import { contentText } from "../../protocol/block-text.ts";
import type { Terminal } from "../../protocol/stop.ts";
import type { RecordedRun } from "../../transcript/runs.ts";
import { splitIntoPasses, type Attempt, type Pass } from "./passes.ts";

/** Where a call was when it was told to end. */
export type StoppedAt = "hook" | "permission" | "tool";

const cutCauses = [null, "user", "terminate"] as const;
const cancelledBeforeStart = cutCauses.map((cause) => cancelledResult(cause, false));
const cancelledWhileRunning = cutCauses.map((cause) => cancelledResult(cause, true));

export class Playback {
  readonly cancel: Cancel;
  readonly #run: RecordedRun;
  readonly #passes: readonly Pass[];
  #passIndex = 0;
  #usedAttempts = 0;
  #quietWaiters: (() => void)[] = [];

  constructor(run: RecordedRun, cancel: Cancel) {
    this.cancel = cancel;
    this.#run = run;
    this.#passes = splitIntoPasses(run.entries);
  }

  get pass(): Pass {
    return this.#passes[this.#passIndex]!;
  }

  /** Counted from 1. */
  get passNumber(): number {
    return this.#passIndex + 1;
  }

  get isLast(): boolean {
    return this.#passIndex === this.#passes.length - 1;
  }

  next(): void {
    this.#passIndex++;
    this.#usedAttempts = 0;
  }

  /** The end of the run, in the pass in which it came. */
  get terminal(): Terminal | null {
    return this.isLast ? (this.#run.end?.terminal ?? null) : null;
  }

  /** Whether the process died during this run. */
  get isCutOff(): boolean {
    return this.#run.end === undefined;
  }

  /** Whether all recorded answers are given, and the run was then cancelled, left or cut off. */
  get isInterruptedHere(): boolean {
    const reason = this.#run.end?.terminal?.reason;
    const wasInterrupted = reason === undefined || reason === "aborted_streaming" || reason === "aborted_tools";
    return wasInterrupted && this.isLast && this.#usedAttempts >= this.pass.attempts.length;
  }

  get cause(): NonNullable<Cancel["cause"]> {
    return this.#run.end?.cause ?? "consumer";
  }

  /** Whether the last answer was complete, and the interruption was seen while it arrived. */
  get isInterruptedAtItsEnd(): boolean {
    const reason = this.#run.end?.terminal?.reason;
    return this.isInterruptedHere && reason === "aborted_streaming" && this.pass.calls.length > 0;
  }

  takeAttempt(): Attempt | undefined {
    return this.pass.attempts[this.#usedAttempts++];
  }

  /** The attempt before the next one. */
  get lastAttempt(): Attempt | undefined {
    return this.pass.attempts[this.#usedAttempts - 1];
  }

  /** Whether the next attempt continues a paused answer, regardless of failed attempts in between. */
  get isPaused(): boolean {
    const usedAttempts = this.pass.attempts.slice(0, this.#usedAttempts);
    return usedAttempts.findLast(({ failure }) => failure === undefined)?.end?.stopReason === "pause_turn";
  }

  get hasAttemptsLeft(): boolean {
    return this.#usedAttempts < this.pass.attempts.length;
  }

  /** Resolves once nothing else can happen. `isFirst`: before others that wait for this. */
  whenQuiet(isFirst = false): Promise<void> {
    return new Promise((resolve) => (isFirst ? this.#quietWaiters.unshift(resolve) : this.#quietWaiters.push(resolve)));
  }

  /** Releases the waiting tasks one at a time, in order. Returns true if one was waiting. */
  releaseQuiet(): boolean {
    const first = this.#quietWaiters.shift();
    first?.();
    return first !== undefined;
  }

  /** Returns null if the call reached its recorded end by itself. */
  stoppedAt(toolUseId: string): StoppedAt | null {
    const result = this.pass.results.get(toolUseId);
    if (result === undefined) return "tool";
    if (result.is_error !== true) return null;
    const text = contentText(result.content);
    if (text.startsWith(siblingFailed)) return text.includes(notRun) ? "hook" : "tool";
    if (cancelledWhileRunning.some((each) => text.includes(each))) return "tool";
    if (!cancelledBeforeStart.some((each) => text.includes(each))) return null;
    if (isNotPermitted(text)) return "permission";
    return this.stoppingRefusal(toolUseId) === undefined ? "hook" : null;
  }

  /** Whether the call had not started at all when the run ended. */
  wasQueued(toolUseId: string): boolean {
    const content = this.pass.results.get(toolUseId)?.content ?? "";
    return this.stoppedAt(toolUseId) === "hook" && !contentText(content).startsWith(siblingFailed);
  }

  /** Returns the refusal of a call that was refused before it started; undefined if it started or if that was not recorded. */
  refusal(toolUseId: string): string | undefined {
    const { startedCalls } = this.#run;
    const result = this.pass.results.get(toolUseId);
    if (result?.is_error !== true || typeof result.content !== "string") return undefined;
    if (startedCalls === null || startedCalls.has(toolUseId)) return undefined;
    return unwrapError(result.content);
  }

  /** The same for a refusal that stopped the whole turn. */
  stoppingRefusal(toolUseId: string): string | undefined {
    const content = this.pass.results.get(toolUseId)?.content;
    const head = `${cancelledResult("user", false)}\n`;
    if (typeof content !== "string" || !content.startsWith(head) || isNotPermitted(content)) return undefined;
    return unwrapError(content.slice(head.length));
  }

  /** Whether the run ended because a call was refused. */
  get isStoppedByRefusal(): boolean {
    return this.pass.calls.some(({ id }) => this.stoppingRefusal(id) !== undefined);
  }

  /** The call whose failure ended its siblings: of the calls that started, the last to fail before the first cancelled sibling. */
  get failedSibling(): string | undefined {
    let failed: string | undefined;
    for (const [id, { is_error: isError, content }] of this.pass.results) {
      if (isError !== true) continue;
      if (contentText(content).startsWith(siblingFailed)) return failed;
      if (this.refusal(id) === undefined) failed = id;
    }
    return undefined;
  }

  /** Whether the model requested the call after a failure had ended others. */
  isRequestedAfterFailure(toolUseId: string): boolean {
    const { failedSibling, pass } = this;
    if (failedSibling === undefined) return false;
    const placeOf = (isIt: (block: ContentBlock) => boolean): number =>
      pass.messages.findIndex((each) => "content" in each && each.content.some(isIt));
    const failure = placeOf((block) => block.type === "tool_result" && block.tool_use_id === failedSibling);
    return placeOf((block) => block.type === "tool_use" && block.id === toolUseId) > failure;
  }
}

export function unwrapError(content: string): string | undefined {
  const [head, tail] = toolUseError("\n").split("\n");
  const isWrapped = content.startsWith(head!) && content.endsWith(tail!);
  return isWrapped ? content.slice(head!.length, content.length - tail!.length) : undefined;
}

/** Resolves when the signal aborts. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, resolve));
}
