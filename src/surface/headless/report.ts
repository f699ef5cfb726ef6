/** Reports on a headless run: lines on stderr while it runs, the exit code at its end. */
import { isLimitResult } from "../../session/query/late-agents.ts";
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import { reasonOf } from "../../lib/system-reason.ts";
import type { SDKMessage, SDKResultMessage } from "../../protocol/sdk.ts";
import type { Engine } from "../engine-port.ts";
import { farewellLines, type WorktreeOption } from "../show/farewell.ts";
import { failureText, noticeOf, permissionDeniedText } from "../show/notice.ts";
import type { StopDesk } from "../stop-desk.ts";
import { exitCodeOf, exitCodes } from "./exit-code.ts";
import { traceLine } from "./trace.ts";
import type { OutputWriter } from "./writer.ts";

export interface ReportOptions extends WorktreeOption {
  notify: (text: string) => void;
  stop: StopDesk;
  debug?: (line: string) => void;
  /** Shows each message as it arrives. If set, the report does not repeat what it shows. */
  progress?: (message: SDKMessage) => void;
  /** Print retries and warnings, which no message shows: else a log stands still for minutes, or a guarding hook fails silently. */
  printsWarnings?: boolean;
}

export interface RunEnd {
  /** Undefined if no session was created. */
  engine: Pick<Engine, "desk" | "getSessionId" | "getTranscriptPath" | "getMessages"> | undefined;
  writer: Pick<OutputWriter, "failure">;
  isDrained: boolean;
}

/** Tags of messages for a turn that a hook ended or that has no complete answer. */
const turnEndingTags: ReadonlySet<string> = new Set([
  "prompt_blocked",
  "hook_stopped_continuation",
  "stop_hook_cap",
  "empty_answer",
  "answer_unfinished",
]);
const maxShownRefusals = 3;
const maxRefusalLength = 400;

export class RunReport {
  readonly #options: ReportOptions;
  #result: SDKResultMessage | undefined;
  /** The refusals in the words the model got, which name the flag that would allow the call. */
  readonly #refusals = new Set<string>();
  readonly #warnings = new Set<string>();
  /** Why a successful turn has no answer or an incomplete one. */
  #missingAnswerReason: string | undefined;
  #rejectedLines = 0;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  /** True if the run had no result, no rejected input and no cause to stop. */
  get hasNothingToReport(): boolean {
    return this.#result === undefined && this.#rejectedLines === 0 && this.#options.stop.cause === undefined;
  }

  /** True if the last turn ended in an error. */
  get hasFailed(): boolean {
    return this.#result?.is_error === true;
  }

  /** True if the last turn ended at a limit that whoever started the run has set. */
  get hasReachedLimit(): boolean {
    return this.#result !== undefined && isLimitResult(this.#result);
  }

  /** Reports a line of input that could not be used. The exit code is then no success. */
  rejectLine(reason: string): void {
    this.#rejectedLines += 1;
    this.#options.notify(reason);
  }

  /** The same without a line on stderr, because the result of the turn gives the reason. */
  rejectSilently(): void {
    this.#rejectedLines += 1;
  }

  /** Takes every message but the model's deltas. */
  onMessage(message: SDKMessage): void {
    const { progress, debug, notify, stop, printsWarnings } = this.#options;
    progress?.(message);
    const line = debug === undefined ? undefined : traceLine(message);
    if (line !== undefined) debug?.(line);
    if (printsWarnings === true) this.#warn(message);
    if (message.type === "system" && message.subtype === "permission_denied")
      this.#refusals.add(permissionDeniedText(message, maxRefusalLength));
    if (message.type === "system" && message.subtype === "informational" && turnEndingTags.has(message.tag ?? ""))
      this.#missingAnswerReason = message.content;
    // A new answer: a hook made the model continue.
    if (message.type === "assistant" && message.parent_tool_use_id === null) this.#missingAnswerReason = undefined;
    if (message.type !== "result") return;
    // Otherwise a success whose answer a hook withheld looks as if the model had nothing to say, and an empty one shows nothing.
    if (this.#missingAnswerReason !== undefined && progress === undefined)
      notify(oneLine(this.#missingAnswerReason, maxRefusalLength));
    this.#missingAnswerReason = undefined;
    // A command such as /cost says nothing about how the turn before it ended, unless it failed itself.
    if (message.local_command === undefined || message.is_error || this.#result === undefined) this.#result = message;
    const { deferred_tool_use: deferredCall } = message;
    if (deferredCall !== undefined)
      notify(`a hook deferred a call of ${deferredCall.name}, which has not run: continue the session to run it`);
    if (message.is_error && stop.cause === undefined) notify(failureText(message));
  }

  #warn(message: SDKMessage): void {
    const text = noticeOf(message)?.text;
    if (text === undefined) return;
    if (message.type !== "system") return this.#options.notify(text);
    if (message.subtype === "api_retry") return this.#options.notify(text);
    const isWarning = message.subtype === "informational" && message.level === "warning";
    // A warning that ends the turn is printed with the result. A hook may fail at each call: print its warning once.
    if (!isWarning || turnEndingTags.has(message.tag ?? "") || this.#warnings.has(text)) return;
    this.#warnings.add(text);
    this.#options.notify(text);
  }

  /** Prints the closing lines and returns the exit code. */
  close({ engine, writer, isDrained }: RunEnd): number {
    const { stop, notify, progress } = this.#options;
    const { failure } = writer;
    const hasBrokenOutput = failure !== undefined && failure.code !== "EPIPE";
    if (hasBrokenOutput) notify(`the output could not be written: ${reasonOf(failure)}`);
    if (!isDrained) notify("the reader of the output did not read all of it within 30 s");
    if (progress === undefined) this.#printRefusals();
    if (stop.cause === "interrupted") notify("interrupted");
    if (stop.cause === "terminated") notify("terminated; the work so far is saved");
    if (engine !== undefined && (stop.cause !== "output_closed" || hasBrokenOutput))
      for (const line of farewellLines(engine, true, this.#options)) notify(line);
    const isEndedByOutput = hasBrokenOutput && stop.cause === "output_closed";
    const code = exitCodeOf(this.#result, isEndedByOutput ? undefined : stop.cause);
    // The run was stopped because of its output, not by an interrupt.
    if (isEndedByOutput && code === exitCodes.interrupted) return exitCodes.error;
    const hasOutputProblem = hasBrokenOutput || !isDrained || this.#rejectedLines > 0;
    return code === exitCodes.success && hasOutputProblem ? exitCodes.error : code;
  }

  #printRefusals(): void {
    const { notify } = this.#options;
    const refusals = [...this.#refusals];
    for (const text of refusals.slice(0, maxShownRefusals)) notify(text);
    const left = refusals.length - maxShownRefusals;
    if (left > 0) notify(`and ${left} more ${left === 1 ? "call was" : "calls were"} refused`);
  }
}

/** Returns a function that writes a line to stderr, with control sequences made visible. */
export function stderrReporter(stderr: { write(text: string): unknown }): (text: string) => void {
  return (text) => void stderr.write(`pawl: ${sanitize(text)}\n`);
}
