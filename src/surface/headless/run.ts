/**
 * A headless run of one prompt: writes messages and returns one exit code. The engine does the work; this file shows it, slows
 * it down to the reader's pace, stops it when asked, and reports on stderr.
 */
import type { Writable } from "node:stream";
import type { Environment } from "../../lib/environment.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import { startTimer, type StartTimer } from "../deadline.ts";
import type { Engine } from "../engine-port.ts";
import type { WorktreeOption } from "../show/farewell.ts";
import { styleFor, type Style } from "../show/style.ts";
import type { StopDesk } from "../stop-desk.ts";
import { messageFormatter } from "../message-formatter.ts";
import { agentsEndedPrompt, LateAgents, agentReportOptions } from "../../session/query/late-agents.ts";
import { stopExitCode } from "./exit-code.ts";
import { createProgress } from "./progress.ts";
import { RunReport, stderrReporter } from "./report.ts";
import { createSink, type OutputFormat, type Sink } from "./sinks.ts";
import { TaskReporter } from "../task-reporter.ts";
import { OutputWriter } from "./writer.ts";

export interface Terminal extends Writable {
  isTTY?: boolean;
  columns?: number;
}

export interface HeadlessRun extends WorktreeOption {
  engine: Engine;
  prompt: string;
  outputFormat: OutputFormat;
  verbose: boolean;
  stdout: Terminal;
  stderr: Terminal;
  env: Environment;
  cwd: string;
  stop: StopDesk;
  debug?: (line: string) => void;
  start?: StartTimer;
}

/** The time a reader has for the rest of the output. After it the reader counts as stuck. */
export const drainMilliseconds = 30_000;

/** How long background work, such as notes for later sessions, may delay the end of a run after its last result. Ctrl+C ends it. */
export const backgroundMilliseconds = 30_000;

/** Returns the exit code, once all output is written or given up on. Does not dispose the engine. */
export async function runHeadless(run: HeadlessRun): Promise<number> {
  const { stdout, stderr, outputFormat, verbose, env, engine, stop, debug, start = startTimer, worktree } = run;
  const notify = stderrReporter(stderr);
  const writer = new OutputWriter(stdout, () => stop.stop("output_closed"));
  const terminalLook = { style: styleOf(stdout, run), columns: stdout.columns || 80 };
  const terminal = stdout.isTTY === true ? terminalLook : undefined;
  const sink = createSink(outputFormat, {
    writer,
    verbose,
    formatLine: messageFormatter(env),
    terminal,
    cost: () => engine.getCost(),
  });
  // The run continues if the reader of stderr is gone.
  stderr.on("error", () => undefined);
  const progress = createRunProgress(run);
  const mustPrintWarnings = progress === undefined && outputFormat !== "stream-json";
  const report = new RunReport({ notify, stop, debug, progress, printsWarnings: mustPrintWarnings, worktree });
  let isInTurn = true;
  const show = (message: SDKMessage): Promise<void> | undefined => {
    report.onMessage(message);
    return sink.accept(message);
  };
  // The other formats only write the result of the turns.
  const taskReporter =
    outputFormat === "stream-json"
      ? new TaskReporter({ isBetweenTurns: () => !isInTurn, show: (message) => void show(message) })
      : undefined;
  const agents = new LateAgents(start, () => report.hasReachedLimit);
  const unsubscribe = stop.onStop((cause) => {
    taskReporter?.endGracePeriod();
    agents.stopWaiting();
    writer.stopWaiting();
    engine.interrupt(cause === "terminated" ? "terminate" : "user");
    if (cause === "interrupted" && progress !== undefined) notify("interrupting; Ctrl+C again exits at once");
  });
  try {
    const runTurn = async (messages: AsyncIterable<SDKMessage>): Promise<void> => {
      isInTurn = true;
      await showMessages(messages, { sink, report, taskReporter });
      isInTurn = false;
      taskReporter?.watch(engine);
    };
    if (stop.cause === undefined) await runTurn(engine.submitMessage(run.prompt));
    while (stop.cause === undefined && (await agents.waitForNews(engine))) {
      await runTurn(engine.submitMessage(agentsEndedPrompt, agentReportOptions));
      // A failed turn may not have reported the agents' end, and would be repeated without end, for example on a full disk.
      if (report.hasFailed) break;
    }
    // The total of the only result includes what agents have spent by their end.
    if (outputFormat === "json" && stop.cause === undefined) await engine.background.endAgents?.();
    await sink.end();
    if (stop.cause === undefined) await engine.background.settle(backgroundMilliseconds);
    if (stop.cause === undefined) await taskReporter?.settle(start);
  } finally {
    unsubscribe();
    taskReporter?.end();
  }
  if (stop.isLeaving) return stopExitCode(stop.cause ?? "interrupted");
  const isDrained = await writer.finish(drainMilliseconds, start);
  return report.close({ engine, writer, isDrained });
}

interface MessageConsumers {
  sink: Sink;
  report: RunReport;
  taskReporter: TaskReporter | undefined;
}

async function showMessages(
  messages: AsyncIterable<SDKMessage>,
  { sink, report, taskReporter }: MessageConsumers,
): Promise<void> {
  for await (const message of messages) {
    if (taskReporter?.wasReported(message) === true) continue;
    const wait = sink.accept(message);
    if (message.type !== "stream_event") report.onMessage(message);
    if (wait !== undefined) await wait;
  }
}

function styleOf({ isTTY }: Terminal, { env, engine }: Pick<HeadlessRun, "env" | "engine">): Style {
  return styleFor(isTTY === true, env, false, engine.desk.theme);
}

/** Returns true if a program reads the messages: it gets the progress from them, and may show what is on stderr as errors. */
function isReadByProgram({ outputFormat, stderr }: HeadlessRun): boolean {
  return outputFormat !== "text" && stderr.isTTY !== true;
}

/** Returns undefined if nobody watches: stderr is not a terminal, and --verbose is not set or a program reads the messages. */
function createRunProgress(run: HeadlessRun): ((message: SDKMessage) => void) | undefined {
  const { verbose, stderr, env, cwd, engine } = run;
  if (isReadByProgram(run) || (!verbose && stderr.isTTY !== true)) return undefined;
  return createProgress({
    write: (line) => stderr.write(`${line}\n`),
    style: styleOf(stderr, { env, engine }),
    width: Math.max(40, stderr.columns ?? 100),
    cwd,
    cost: () => engine.getCost(),
  });
}
