/**
 * A headless run: prompts in, messages out, one exit code. The engine does the work; here it is shown, slowed down to the
 * reader's pace, stopped when asked, and accounted for on stderr.
 */
import type { Readable, Writable } from "node:stream";
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import type { SDKMessage, SDKResultMessage } from "../../protocol/sdk.ts";
import { startTimer, type StartTimer } from "../deadline.ts";
import type { Engine } from "../engine-port.ts";
import { farewell } from "../show/farewell.ts";
import { failureText } from "../show/notice.ts";
import { styleFor } from "../show/style.ts";
import type { StopDesk } from "../stop.ts";
import { causeCode, exitCodeOf, exitCodes } from "./exit-code.ts";
import { Inbox } from "./inbox.ts";
import type { Prompt } from "./input-line.ts";
import { createProgress } from "./progress.ts";
import { sinkFor, type OutputFormat, type Sink } from "./sinks.ts";
import { traceLine } from "./trace.ts";
import { OutputWriter } from "./writer.ts";

export interface Terminal extends Writable {
  isTTY?: boolean;
  columns?: number;
}

export interface HeadlessRun {
  engine: Engine;
  /** One prompt, or user messages as stream-json. */
  input: { prompt: string } | { stdin: Readable };
  outputFormat: OutputFormat;
  verbose: boolean;
  stdout: Terminal;
  stderr: Terminal;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  stop: StopDesk;
  debug?: (line: string) => void;
  start?: StartTimer;
  newId: () => string;
}

/** A reader that takes longer than this for what is left has gone to sleep. */
const drainMilliseconds = 30_000;
/** Tags of what is said where a hook ends a turn. */
const endsTurn: ReadonlySet<string> = new Set(["prompt_blocked", "hook_stopped_continuation"]);
const shownRefusals = 3;
const longestRefusal = 400;

/** Answers the exit code. Everything is written, or given up on, when it does. Does not dispose the engine. */
export async function runHeadless(run: HeadlessRun): Promise<number> {
  return await new HeadlessSession(run).run();
}

class HeadlessSession {
  readonly #run: HeadlessRun;
  readonly #writer: OutputWriter;
  readonly #sink: Sink;
  readonly #progress: ((message: SDKMessage) => void) | undefined;
  #inbox: Inbox | undefined;
  #result: SDKResultMessage | undefined;
  /** What was refused, each in the words the model got, which name the flag that would allow it. */
  readonly #refusals = new Set<string>();
  /** What a hook said that ended the turn. */
  #hooksWord: string | undefined;
  #rejectedLines = 0;

  constructor(run: HeadlessRun) {
    const { stdout, stderr, outputFormat, verbose, env, cwd, engine, stop } = run;
    this.#run = run;
    this.#writer = new OutputWriter(stdout, () => stop.stop("output_closed"));
    const look = { style: styleFor(stdout.isTTY === true, env), columns: stdout.columns || 80 };
    this.#sink = sinkFor(outputFormat, verbose, this.#writer, stdout.isTTY === true ? look : undefined);
    // A reader of stderr that went away changes nothing for the run.
    stderr.on("error", () => undefined);
    if (verbose || stderr.isTTY === true) {
      this.#progress = createProgress({
        write: (line) => stderr.write(`${line}\n`),
        style: styleFor(stderr.isTTY === true, env),
        width: Math.max(40, stderr.columns ?? 100),
        cwd,
        cost: () => engine.getCost(),
      });
    }
  }

  async run(): Promise<number> {
    const { engine, stop } = this.#run;
    const leave = stop.attend((cause) => {
      this.#inbox?.close();
      this.#writer.stopWaiting();
      engine.interrupt(cause === "terminated" ? "terminate" : "user");
      if (cause === "interrupted" && this.#progress !== undefined)
        this.#tell("interrupting; Ctrl+C again leaves at once");
    });
    try {
      for await (const prompt of this.#prompts()) {
        if (stop.cause !== undefined) break;
        await this.#turn(prompt);
      }
      await this.#sink.end();
    } finally {
      leave();
      this.#inbox?.close();
    }
    if (stop.isLeaving) return causeCode(stop.cause ?? "interrupted");
    const isDrained = await this.#writer.finish(drainMilliseconds, this.#run.start ?? startTimer);
    return this.#close(isDrained);
  }

  async *#prompts(): AsyncGenerator<Prompt> {
    const { input } = this.#run;
    if ("prompt" in input) {
      yield { content: input.prompt };
      return;
    }
    this.#inbox = new Inbox(input.stdin, {
      reply: (message) => this.#say(message),
      reject: (reason) => this.#reject(reason),
      notice: (text) => this.#tell(text),
    });
    yield* this.#inbox;
  }

  async #turn({ content, uuid, isMeta, problem }: Prompt): Promise<void> {
    const { engine, debug } = this.#run;
    if (problem !== undefined) this.#rejectedLines += 1;
    for await (const made of engine.submitMessage(content, { uuid, isMeta })) {
      const message = problem === undefined ? made : explained(made, problem);
      const wait = this.#sink.accept(message);
      if (message.type !== "stream_event") {
        this.#progress?.(message);
        if (debug !== undefined) this.#trace(message, debug);
        this.#note(message);
      }
      if (wait !== undefined) await wait;
    }
  }

  #trace(message: SDKMessage, debug: (line: string) => void): void {
    const line = traceLine(message);
    if (line !== undefined) debug(line);
  }

  #note(message: SDKMessage): void {
    if (message.type === "system" && message.subtype === "permission_denied") this.#refusals.add(message.message);
    if (message.type === "system" && message.subtype === "informational" && endsTurn.has(message.tag ?? ""))
      this.#hooksWord = message.content;
    if (message.type !== "result") return;
    // Without it, a success whose answer a hook kept back looks like a model with nothing to say.
    if (this.#hooksWord !== undefined && this.#progress === undefined)
      this.#tell(oneLine(this.#hooksWord, longestRefusal));
    this.#hooksWord = undefined;
    this.#result = message;
    if (message.is_error && this.#run.stop.cause === undefined) this.#tell(failureText(message));
  }

  /** A line of ours between the engine's messages. The reader's pace holds for the next message of the engine. */
  #say(message: object): void {
    this.#writer.write(`${JSON.stringify(message)}\n`);
  }

  #reject(reason: string): void {
    this.#rejectedLines += 1;
    this.#tell(reason);
    const { newId, engine } = this.#run;
    this.#say({
      type: "system",
      subtype: "informational",
      content: reason,
      level: "warning",
      uuid: newId(),
      session_id: engine.getSessionId(),
    });
  }

  #tell(text: string): void {
    this.#run.stderr.write(`pawl: ${sanitize(text)}\n`);
  }

  #tellRefusals(): void {
    const refusals = [...this.#refusals];
    for (const text of refusals.slice(0, shownRefusals)) this.#tell(oneLine(text, longestRefusal));
    const left = refusals.length - shownRefusals;
    if (left > 0) this.#tell(`and ${left} more ${left === 1 ? "call was" : "calls were"} refused`);
  }

  #close(isDrained: boolean): number {
    const { engine, stop, input } = this.#run;
    const failure = this.#writer.failure;
    const hasBrokenOutput = failure !== undefined && failure.code !== "EPIPE";
    if (hasBrokenOutput) this.#tell(`the output could not be written: ${failure.message}`);
    if (!isDrained) this.#tell("the reader of the output did not take all of it within 30 s");
    if (this.#progress === undefined) this.#tellRefusals();
    if (stop.cause === "interrupted") this.#tell("interrupted");
    if (stop.cause === "terminated") this.#tell("terminated; what was done is recorded");
    if (stop.cause !== "output_closed" || hasBrokenOutput) for (const line of farewell(engine, true)) this.#tell(line);
    const isIdle = this.#result === undefined && this.#rejectedLines === 0 && stop.cause === undefined;
    if ("stdin" in input && isIdle) {
      this.#tell("no user message came on standard input");
      return exitCodes.usage;
    }
    const code = exitCodeOf(this.#result, hasBrokenOutput ? undefined : stop.cause);
    const isSpoilt = hasBrokenOutput || !isDrained || this.#rejectedLines > 0;
    return code === exitCodes.success && isSpoilt ? exitCodes.error : code;
  }
}

/** The engine refuses the empty prompt that stands for a message nobody could read; its result says what was wrong with it. */
function explained(message: SDKMessage, problem: string): SDKMessage {
  return message.type === "result" && message.subtype !== "success" ? { ...message, errors: [problem] } : message;
}
