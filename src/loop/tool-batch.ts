/**
 * The calls of one response: the only mutable object in a turn, and the owner of tool_use/tool_result pairing. It starts calls early, runs
 * exclusive calls alone, keeps the order of the blocks, and gives every call a result whatever happens.
 */
import { errorText } from "../lib/error-text.ts";
import { contentText } from "../protocol/block-text.ts";
import type { QueryEvent } from "../protocol/event.ts";
import type { Message, NoticeMessage, UserMessage } from "../protocol/message.ts";
import type { CancelCause } from "../protocol/stop.ts";
import type { ToolProgress } from "../protocol/tool.ts";
import { runSteps, type Steps } from "../lib/steps.ts";
import { traitsOf, type CallTraits } from "./call-traits.ts";
import { createCancel, type CallCancel, type CallCancelCause } from "./cancel.ts";
import type { Draft } from "./fact.ts";
import { fitResultContent, contentLength } from "./fit-result.ts";
import { recordMessage, type Run } from "./run.ts";
import { runToolCall } from "./tool-call.ts";
import { refusedOutcome, resultMessage, type CallOutcome, type CallRequest, type CallScope } from "./tool-scope.ts";
import * as texts from "./texts.ts";

interface Call extends CallRequest, CallTraits {
  status: "queued" | "running" | "done";
  /** The call's result could not be made: `work` rejects with the reason, and the call will never be done. */
  isLost: boolean;
  cancel: CallCancel;
  /** The tool itself has started, so it may have had an effect. */
  hasStarted: boolean;
  work: Promise<void> | null;
  result: UserMessage | null;
  outcome: CallOutcome | null;
  progress: ToolProgress | null;
}

const maxProgressCharacters = 8_192;

export class ToolBatch {
  readonly #run: Run;
  readonly #calls: Call[] = [];
  readonly #events: QueryEvent[] = [];
  readonly #notices: NoticeMessage[] = [];
  /** Settles once no more calls can join. */
  readonly #sealed = Promise.withResolvers<void>();
  readonly #forgetCancel: () => void;
  #yielded = 0;
  #usedCharacters = 0;
  #settling: Promise<void> | null = null;
  #isClosed = false;

  constructor(run: Run) {
    this.#run = run;
    this.#forgetCancel = run.cancel.onEach((cause) => this.#cancelCalls(cause));
  }

  get size(): number {
    return this.#calls.length;
  }

  /** Adds a call whose block is recorded, and starts it as soon as concurrency allows. */
  add(request: CallRequest): void {
    this.#calls.push({
      ...request,
      ...traitsOf(request, this.#run.ports.tools),
      status: "queued",
      isLost: false,
      cancel: createCancel<CallCancelCause>(),
      hasStarted: false,
      work: null,
      result: null,
      outcome: null,
      progress: null,
    });
    this.#startReady();
  }

  /** Returns new events: progress at once, and a result once all results before it are there. Each event is returned only once. */
  takeEvents(): QueryEvent[] {
    const events = this.#events.splice(0);
    for (const call of this.#calls) {
      if (call.progress === null) continue;
      events.push({ type: "tool_progress", progress: call.progress });
      call.progress = null;
    }
    for (const { result } of this.#calls.slice(this.#yielded)) {
      if (result === null) break;
      events.push(result);
      this.#yielded++;
    }
    return events;
  }

  /** Declares that no more calls will join. */
  seal(): void {
    this.#sealed.resolve();
  }

  /** Whether any call is running. The doorbell rings when it is done. */
  isRunning(): boolean {
    return this.#calls.some((call) => call.status === "running" && !call.isLost);
  }

  /** Waits until every call is done; bounded, because each call has a limit and a cancel ends all. No call joins or starts afterwards. */
  settle(): Promise<void> {
    this.seal();
    this.#isClosed = true;
    return (this.#settling ??= this.#settleAll());
  }

  /** Ends the batch of a failed run: tells running calls to end, then settles. */
  end(): Promise<void> {
    const settled = this.settle();
    for (const call of this.#calls) if (call.status === "running") call.cancel.cancel("failed");
    return settled;
  }

  async #settleAll(): Promise<void> {
    for (;;) {
      const running = this.#calls.find((call) => call.status === "running");
      if (running === undefined || running.work === null) break;
      await running.work;
    }
    for (const call of this.#calls)
      if (call.status === "queued") await runSteps(this.#finish(call, this.#unstartedOutcome()));
    this.#forgetCancel();
  }

  /** Returns true if every call is done: then nothing has to be waited for, and no call can join any more. */
  isSettled(): boolean {
    if (this.#settling !== null || this.#calls.some((call) => call.status !== "done")) return false;
    this.#isClosed = true;
    this.#forgetCancel();
    return true;
  }

  calls(): readonly CallRequest[] {
    return this.#calls;
  }

  /** Returns the results in the order of the blocks. */
  results(): UserMessage[] {
    return this.#calls.flatMap((call) => (call.result === null ? [] : [call.result]));
  }

  /** Returns the hooks' notices for people. */
  notices(): readonly NoticeMessage[] {
    return this.#notices;
  }

  /** Returns what follows the results, hook context and additions by tools, in the order of the blocks. */
  followUps(): Draft[] {
    const count = this.#calls.length;
    return this.#calls.flatMap((call, at): Draft[] => {
      const label = count === 1 ? {} : { call: texts.callPosition(at + 1, count, call.block.name) };
      const contexts = (call.outcome?.contexts ?? []).map(({ event, text }): Draft => ({
        type: "attachment",
        attachment: { kind: "hook_context", event, text, toolUseId: call.block.id, ...label },
      }));
      const content = call.outcome?.followUp ?? [];
      return content.length === 0 ? contexts : [...contexts, { type: "user", content, isMeta: true }];
    });
  }

  /** Returns the outcomes of finished calls, in the order of the blocks. */
  outcomes(): CallOutcome[] {
    return this.#calls.flatMap((call) => (call.outcome === null ? [] : [call.outcome]));
  }

  #startReady(): void {
    if (this.#isClosed || this.#run.cancel.cause !== null || this.#run.fault !== null) return;
    let running = this.#calls.filter((call) => call.status === "running").length;
    for (const call of this.#calls) {
      if (call.status === "done") continue;
      if (call.status === "running") {
        if (!call.isParallelSafe) return;
        continue;
      }
      if (call.isParallelSafe ? running >= this.#run.limits.toolConcurrency : running > 0) return;
      call.status = "running";
      call.work = this.#runCall(call);
      running++;
      if (!call.isParallelSafe) return;
    }
  }

  async #runCall(call: Call): Promise<void> {
    let outcome: CallOutcome;
    try {
      const scope: CallScope = {
        run: this.#run,
        cancel: call.cancel,
        emit: (event) => this.#emit(event),
        recordNotice: (notice) => this.#recordNotice(notice),
        onProgress: (progress) => this.#keepProgress(call, progress),
        isAlone: () => this.#sealed.promise.then(() => this.size === 1),
        onStart: () => {
          call.hasStarted = true;
        },
      };
      outcome = await runSteps(runToolCall(call, scope));
    } catch (error) {
      outcome = refusedOutcome(errorText(error));
    }
    if (outcome.toolFailed) this.#cancelSiblings(call);
    try {
      await runSteps(this.#finish(call, this.#withCancelCause(call, outcome)));
    } catch (error) {
      call.isLost = true;
      this.#run.doorbell.ring();
      throw error;
    }
  }

  /** Adds to the result of a cancelled call who cancelled it, before what the tool itself reported. */
  #withCancelCause(call: Call, outcome: CallOutcome): CallOutcome {
    const { cause } = call.cancel;
    if (cause === null || !outcome.isError || cause === "timeout") return outcome;
    const why =
      cause === "sibling" ? texts.siblingFailed : texts.cancelledResult(this.#run.cancel.cause, call.hasStarted);
    const reportedText = contentText(outcome.content);
    return reportedText.includes(why)
      ? outcome
      : { ...outcome, content: reportedText === "" ? why : `${why}\n${reportedText}` };
  }

  #unstartedOutcome(): CallOutcome {
    return refusedOutcome(texts.cancelledResult(this.#run.cancel.cause, false));
  }

  *#finish(call: Call, outcome: CallOutcome): Steps<never, void> {
    const { maxChars } = call;
    const size = contentLength(outcome.content);
    const usedChars = this.#usedCharacters;
    const reserved = Math.min(size, maxChars);
    this.#usedCharacters += reserved;
    const content = yield* fitResultContent(this.#run, outcome, size, { call, maxChars, usedChars });
    this.#usedCharacters += contentLength(content) - reserved;
    const message = resultMessage(this.#run, call.block.id, outcome, content);
    yield* recordMessage(this.#run, message);
    call.outcome = outcome;
    call.result = message;
    call.status = "done";
    call.progress = null;
    // In the same step: a reader that sees no running call may conclude that none will start.
    this.#startReady();
    this.#run.doorbell.ring();
  }

  *#recordNotice(notice: NoticeMessage): Steps<never, void> {
    if (!(yield* recordMessage(this.#run, notice))) return;
    this.#notices.push(notice);
    this.#emit(notice);
  }

  #emit(event: QueryEvent): void {
    this.#events.push(event);
    this.#run.doorbell.ring();
  }

  /** Keeps only the latest progress of a call, with the text not yet taken: a slow consumer costs nothing. */
  #keepProgress(call: Call, progress: ToolProgress): void {
    if (call.status !== "running") return;
    if (progress.message !== undefined) return this.#emit({ type: "agent_message", message: progress.message });
    const text = ((call.progress?.text ?? "") + (progress.text ?? "")).slice(-maxProgressCharacters);
    call.progress = text === "" ? progress : { ...progress, text };
    this.#run.doorbell.ring();
  }

  /** Cancels siblings only if the call failed by itself: a call that was told to end says nothing about its siblings. */
  #cancelSiblings(failed: Call): void {
    const { cause } = failed.cancel;
    if (!failed.cancelsSiblings || (cause !== null && cause !== "timeout")) return;
    for (const call of this.#calls) if (call !== failed && call.status === "running") call.cancel.cancel("sibling");
  }

  /** An interrupt by a new message waits for tools that ask for it. Any other cause ends all calls, even if it comes after an interrupt. */
  #cancelCalls(cause: CancelCause): void {
    for (const call of this.#calls) {
      if (call.status !== "running") continue;
      if (cause !== "interrupt" || !call.outlastsInterrupt) call.cancel.cancel(cause);
    }
    this.#run.doorbell.ring();
  }
}

/** Returns the conversation with the batch's notices and results appended. */
export function withResults(messages: readonly Message[], batch: ToolBatch): Message[] {
  return [...messages, ...batch.notices(), ...batch.results()];
}
