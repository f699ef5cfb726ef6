/** What a headless run is accounted for with: lines on stderr while it goes, the exit code when it is over. */
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import { reasonOf } from "../../lib/system-reason.ts";
import type { SDKMessage, SDKResultMessage } from "../../protocol/sdk.ts";
import type { Engine } from "../engine-port.ts";
import { farewell, type WorkPlace } from "../show/farewell.ts";
import { failureText, noticeOf, refusalText } from "../show/notice.ts";
import type { StopDesk } from "../stop.ts";
import { exitCodeOf, exitCodes } from "./exit-code.ts";
import { traceLine } from "./trace.ts";
import type { OutputWriter } from "./writer.ts";

export interface ReportOptions extends WorkPlace {
  tell: (text: string) => void;
  stop: StopDesk;
  debug?: (line: string) => void;
  /** Shows each message as it comes; what it shows is not told again. */
  progress?: (message: SDKMessage) => void;
  /** No message tells of retries and warnings: a log would stand still for minutes, and a hook that fails guard nothing, without a word. */
  areWarningsTold?: boolean;
}

export interface Closing {
  /** Undefined where none was made. */
  engine: Pick<Engine, "desk" | "getSessionId" | "getTranscriptPath" | "getMessages"> | undefined;
  writer: Pick<OutputWriter, "failure">;
  isDrained: boolean;
}

/** Tags of what is said where a hook ends a turn, or the model has no whole answer. */
const endsTurn: ReadonlySet<string> = new Set([
  "prompt_blocked",
  "hook_stopped_continuation",
  "stop_hook_cap",
  "empty_answer",
  "answer_unfinished",
]);
const shownRefusals = 3;
const longestRefusal = 400;

export class RunReport {
  readonly #options: ReportOptions;
  #result: SDKResultMessage | undefined;
  /** What was refused, each in the words the model got, which name the flag that would allow it. */
  readonly #refusals = new Set<string>();
  readonly #warnings = new Set<string>();
  /** Why a turn that is a success has no answer, or none that is whole. */
  #lastWord: string | undefined;
  #rejectedLines = 0;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  /** Nothing came of the run: no result, and no input that was refused. */
  get isIdle(): boolean {
    return this.#result === undefined && this.#rejectedLines === 0 && this.#options.stop.cause === undefined;
  }

  /** The last turn ended in an error. */
  get hasFailed(): boolean {
    return this.#result?.is_error === true;
  }

  /** A line of input that could not be used: it spoils the exit code. */
  reject(reason: string): void {
    this.#rejectedLines += 1;
    this.#options.tell(reason);
  }

  /** The same where the result of its turn says what was wrong. */
  spoil(): void {
    this.#rejectedLines += 1;
  }

  /** Every message but the model's deltas. */
  note(message: SDKMessage): void {
    const { progress, debug, tell, stop, areWarningsTold } = this.#options;
    progress?.(message);
    const line = debug === undefined ? undefined : traceLine(message);
    if (line !== undefined) debug?.(line);
    if (areWarningsTold === true) this.#warn(message);
    if (message.type === "system" && message.subtype === "permission_denied")
      this.#refusals.add(refusalText(message, longestRefusal));
    if (message.type === "system" && message.subtype === "informational" && endsTurn.has(message.tag ?? ""))
      this.#lastWord = message.content;
    // A hook had the model go on.
    if (message.type === "assistant" && message.parent_tool_use_id === null) this.#lastWord = undefined;
    if (message.type !== "result") return;
    // Without it, a success whose answer a hook kept back looks like a model with nothing to say, and an empty one tells nothing at all.
    if (this.#lastWord !== undefined && progress === undefined) tell(oneLine(this.#lastWord, longestRefusal));
    this.#lastWord = undefined;
    this.#result = message;
    const { deferred_tool_use: held } = message;
    if (held !== undefined)
      tell(`a hook put a call of ${held.name} off, which has not run: going on with the session takes it up`);
    if (message.is_error && stop.cause === undefined) tell(failureText(message));
  }

  #warn(message: SDKMessage): void {
    const text = noticeOf(message)?.text;
    if (text === undefined) return;
    if (message.type !== "system") return this.#options.tell(text);
    if (message.subtype === "api_retry") return this.#options.tell(text);
    const isWarning = message.subtype === "informational" && message.level === "warning";
    // What ends a turn is told with its end. A hook may fail at each call.
    if (!isWarning || endsTurn.has(message.tag ?? "") || this.#warnings.has(text)) return;
    this.#warnings.add(text);
    this.#options.tell(text);
  }

  /** Says what is left to say, and answers the exit code. */
  close({ engine, writer, isDrained }: Closing): number {
    const { stop, tell, progress } = this.#options;
    const { failure } = writer;
    const hasBrokenOutput = failure !== undefined && failure.code !== "EPIPE";
    if (hasBrokenOutput) tell(`the output could not be written: ${reasonOf(failure)}`);
    if (!isDrained) tell("the reader of the output did not take all of it within 30 s");
    if (progress === undefined) this.#tellRefusals();
    if (stop.cause === "interrupted") tell("interrupted");
    if (stop.cause === "terminated") tell("terminated; what was done is recorded");
    if (engine !== undefined && (stop.cause !== "output_closed" || hasBrokenOutput))
      for (const line of farewell(engine, true, this.#options)) tell(line);
    const isEndedByOutput = hasBrokenOutput && stop.cause === "output_closed";
    const code = exitCodeOf(this.#result, isEndedByOutput ? undefined : stop.cause);
    // Nobody interrupted a run that was ended because of its output.
    if (isEndedByOutput && code === exitCodes.interrupted) return exitCodes.error;
    const isSpoilt = hasBrokenOutput || !isDrained || this.#rejectedLines > 0;
    return code === exitCodes.success && isSpoilt ? exitCodes.error : code;
  }

  #tellRefusals(): void {
    const { tell } = this.#options;
    const refusals = [...this.#refusals];
    for (const text of refusals.slice(0, shownRefusals)) tell(text);
    const left = refusals.length - shownRefusals;
    if (left > 0) tell(`and ${left} more ${left === 1 ? "call was" : "calls were"} refused`);
  }
}

/** A line on stderr, with what a terminal could take for a command made visible. */
export function teller(stderr: { write(text: string): unknown }): (text: string) => void {
  return (text) => void stderr.write(`pawl: ${sanitize(text)}\n`);
}
