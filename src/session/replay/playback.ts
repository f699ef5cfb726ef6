/** Where a replay is in its recording, and what waits for the moment at which nothing else can happen. */
import { cancelledResult, isNotPermitted, notRun, siblingFailed, toolUseError } from "../../loop/texts.ts";
import type { Cancel } from "../../loop/cancel.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import { contentText } from "../../protocol/block-text.ts";
import type { Terminal } from "../../protocol/stop.ts";
import type { RecordedRun } from "../../transcript/runs.ts";
import { passesOf, type Attempt, type Pass } from "./script.ts";

/** Where a call was when it was told to end. */
export type HeldAt = "hook" | "permission" | "tool";

const cut = [null, "user", "terminate"] as const;
const beforeStart = cut.map((cause) => cancelledResult(cause, false));
const whileRunning = cut.map((cause) => cancelledResult(cause, true));

export class Playback {
  readonly cancel: Cancel;
  readonly #run: RecordedRun;
  readonly #passes: readonly Pass[];
  #at = 0;
  #used = 0;
  #quiet: (() => void)[] = [];

  constructor(run: RecordedRun, cancel: Cancel) {
    this.cancel = cancel;
    this.#run = run;
    this.#passes = passesOf(run.entries);
  }

  get pass(): Pass {
    return this.#passes[this.#at]!;
  }

  /** From 1. */
  get number(): number {
    return this.#at + 1;
  }

  get isLast(): boolean {
    return this.#at === this.#passes.length - 1;
  }

  next(): void {
    this.#at++;
    this.#used = 0;
  }

  /** The end of the run, in the pass that it came in. */
  get terminal(): Terminal | null {
    return this.isLast ? (this.#run.end?.terminal ?? null) : null;
  }

  /** The process died in the middle of this run. */
  get isCutOff(): boolean {
    return this.#run.end === undefined;
  }

  /** All recorded answers are given, and the run was cancelled, left or cut off after them. */
  get isInterruptedHere(): boolean {
    const reason = this.#run.end?.terminal?.reason;
    const wasInterrupted = reason === undefined || reason === "aborted_streaming" || reason === "aborted_tools";
    return wasInterrupted && this.isLast && this.#used >= this.pass.attempts.length;
  }

  get cause(): NonNullable<Cancel["cause"]> {
    return this.#run.end?.cause ?? "consumer";
  }

  /** The last answer ended well, and the interruption was seen while it came. */
  get isInterruptedAtItsEnd(): boolean {
    const reason = this.#run.end?.terminal?.reason;
    return this.isInterruptedHere && reason === "aborted_streaming" && this.pass.calls.length > 0;
  }

  takeAttempt(): Attempt | undefined {
    return this.pass.attempts[this.#used++];
  }

  /** The attempt before the next one. */
  get lastAttempt(): Attempt | undefined {
    return this.pass.attempts[this.#used - 1];
  }

  /** The next one goes on with an answer that was paused, however often that has failed. */
  get isPaused(): boolean {
    const made = this.pass.attempts.slice(0, this.#used);
    return made.findLast(({ failure }) => failure === undefined)?.end?.stopReason === "pause_turn";
  }

  get hasAttemptsLeft(): boolean {
    return this.#used < this.pass.attempts.length;
  }

  /** Resolves once nothing else can happen; `isFirst`: before those who wait for that as well. */
  quiet(isFirst = false): Promise<void> {
    return new Promise((resolve) => (isFirst ? this.#quiet.unshift(resolve) : this.#quiet.push(resolve)));
  }

  /** One after the other, as they came. True where somebody waited for this. */
  releaseQuiet(): boolean {
    const first = this.#quiet.shift();
    first?.();
    return first !== undefined;
  }

  /** Null: the call came to its recorded end by itself. */
  heldAt(toolUseId: string): HeldAt | null {
    const result = this.pass.results.get(toolUseId);
    if (result === undefined) return "tool";
    if (result.is_error !== true) return null;
    const text = contentText(result.content);
    if (text.startsWith(siblingFailed)) return text.includes(notRun) ? "hook" : "tool";
    if (whileRunning.some((each) => text.includes(each))) return "tool";
    if (!beforeStart.some((each) => text.includes(each))) return null;
    if (isNotPermitted(text)) return "permission";
    return this.stoppingRefusal(toolUseId) === undefined ? "hook" : null;
  }

  /** Nothing of the call had begun when the run ended. */
  isQueued(toolUseId: string): boolean {
    const content = this.pass.results.get(toolUseId)?.content ?? "";
    return this.heldAt(toolUseId) === "hook" && !contentText(content).startsWith(siblingFailed);
  }

  /** What the model was told of a call that was refused before it began; undefined where it began, or nobody recorded that. */
  refusal(toolUseId: string): string | undefined {
    const { started } = this.#run;
    const result = this.pass.results.get(toolUseId);
    if (result?.is_error !== true || typeof result.content !== "string") return undefined;
    if (started === null || started.has(toolUseId)) return undefined;
    return unwrapped(result.content);
  }

  /** The same of a refusal that was to stop the whole turn. */
  stoppingRefusal(toolUseId: string): string | undefined {
    const content = this.pass.results.get(toolUseId)?.content;
    const head = `${cancelledResult("user", false)}\n`;
    if (typeof content !== "string" || !content.startsWith(head) || isNotPermitted(content)) return undefined;
    return unwrapped(content.slice(head.length));
  }

  /** Whoever refused a call ended the run by that. */
  get isStoppedByRefusal(): boolean {
    return this.pass.calls.some(({ id }) => this.stoppingRefusal(id) !== undefined);
  }

  /** The call whose failure ended its siblings: of those that began, the last that failed before the first of them was told. */
  get culprit(): string | undefined {
    let failed: string | undefined;
    for (const [id, { is_error: isError, content }] of this.pass.results) {
      if (isError !== true) continue;
      if (contentText(content).startsWith(siblingFailed)) return failed;
      if (this.refusal(id) === undefined) failed = id;
    }
    return undefined;
  }

  /** The model asked for the call after a failure had ended others. */
  isAskedAfterFailure(toolUseId: string): boolean {
    const { culprit, pass } = this;
    if (culprit === undefined) return false;
    const placeOf = (isIt: (block: ContentBlock) => boolean): number =>
      pass.messages.findIndex((each) => "content" in each && each.content.some(isIt));
    const failure = placeOf((block) => block.type === "tool_result" && block.tool_use_id === culprit);
    return placeOf((block) => block.type === "tool_use" && block.id === toolUseId) > failure;
  }
}

export function unwrapped(content: string): string | undefined {
  const [head, tail] = toolUseError("\n").split("\n");
  const isWrapped = content.startsWith(head!) && content.endsWith(tail!);
  return isWrapped ? content.slice(head!.length, content.length - tail!.length) : undefined;
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
