/** How a command's end becomes a result: exit code, time, interruption, and what is still running. */
import type { ToolResult } from "../../protocol/tool.ts";
import type { BackgroundTask, BackgroundTasks } from "./background.ts";
import { isEndedAtTimeout, meaningOfExitCodeOne } from "./command-facts.ts";
import type { Ending } from "./execute.ts";
import { noOutput } from "./no-output.ts";
import { renderOutput, type RenderedOutput } from "./result.ts";
import type { ShellRun } from "./run.ts";
import { textForModel } from "./text-for-model.ts";

export interface FinishedCommand {
  run: ShellRun;
  ending: Ending;
  command: string;
  toolUseId: string;
  timeoutMs: number;
  /** The most bytes of output a success may show. */
  limit: number;
  /** How long a command moved to the background may run, ms. */
  lifetimeMs: number;
  /** Past its timeout the command continues in the background, if it is worth keeping. */
  mayStay: boolean;
  /** Returns lines for the model to show after the output. Null: the command continues. */
  notesFor: (exitCode: number | null) => string;
}

/** The most bytes of output a failure may show. */
const failureLimit = 10_000;

interface ResultFacts {
  interrupted: boolean;
  backgroundTaskId?: string;
  timedOutAfterMs?: number;
  backgroundedByUser?: true;
  returnCodeInterpretation?: string;
}

function clientOutput(rendered: RenderedOutput, run: ShellRun, facts: ResultFacts): unknown {
  const file =
    rendered.isCut && run.output.path !== null
      ? { persistedOutputPath: run.output.path, persistedOutputSize: run.output.total }
      : {};
  return { stdout: rendered.stdout, stderr: rendered.stderr, isImage: false, ...facts, ...file };
}

function joinTexts(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join("\n");
}

function outputText(rendered: RenderedOutput): string {
  return joinTexts([textForModel(rendered.stdout), textForModel(rendered.stderr)]);
}

function leftRunningText(task: BackgroundTask): string {
  const output = task.outputPath === null ? "" : ` Their output goes to ${task.outputPath}.`;
  return `[It left processes running, kept as background task ${task.id}.${output} TaskStop ends them; so does the end of the session.]`;
}

export function backgroundStartResult(task: BackgroundTask): ToolResult {
  const where = task.outputPath === null ? "Its output cannot be kept" : `Read its output from ${task.outputPath}`;
  return {
    content: `Command running in background with ID: ${task.id}. ${where}; TaskStop ends it.`,
    output: { stdout: "", stderr: "", interrupted: false, isImage: false, backgroundTaskId: task.id },
  };
}

/** Ends or keeps the run, depending on how it ended, and reports it. */
export async function finishCommand(finished: FinishedCommand, background: BackgroundTasks): Promise<ToolResult> {
  const { run, ending } = finished;
  switch (ending) {
    case "exited":
      return exitedResult(finished, background);
    case "timeout":
      return await timedOutResult(finished, background);
    case "moved":
      return movedToBackgroundResult(finished, background, "was moved to the background by the user", {
        backgroundedByUser: true,
      });
    case "aborted":
      return await endedResult(finished, background, "The command was interrupted before it finished.", {
        interrupted: true,
      });
    case "excess":
      return await endedResult(
        finished,
        background,
        `The command printed ${run.output.total} bytes and was ended. Print less, or write to a file.`,
        { interrupted: false },
      );
    default:
      return ending satisfies never;
  }
}

function exitedResult(finished: FinishedCommand, background: BackgroundTasks): ToolResult {
  const { run, command, toolUseId, limit, notesFor } = finished;
  const code = run.exit?.code ?? 0;
  const note = notesFor(code);
  const meaning = code === 1 ? meaningOfExitCodeOne(command, run.output.stream("stderr").head.length > 0) : undefined;
  const isFailure = code !== 0 && meaning === undefined;
  const left = run.isClosed ? undefined : background.keepAsTask(run, { command, toolUseId });
  const rendered = renderOutput(run.output, isFailure ? Math.min(limit, failureLimit) : limit);
  if (left === undefined) background.release(run);
  const facts: ResultFacts = { interrupted: false };
  if (left !== undefined) facts.backgroundTaskId = left.id;
  if (meaning !== undefined) facts.returnCodeInterpretation = meaning;
  const signal = run.exit?.signal;
  const body = outputText(rendered);
  const text = joinTexts([
    isFailure ? `Exit code ${code}${signal ? ` (ended by ${signal})` : ""}` : undefined,
    body,
    meaning === undefined ? undefined : `[Exit code 1: ${meaning}]`,
    body === "" && code === 0 && left === undefined ? noOutput : undefined,
    left === undefined ? undefined : leftRunningText(left),
    note,
  ]);
  return { content: text, isError: isFailure, output: clientOutput(rendered, run, facts) };
}

async function timedOutResult(finished: FinishedCommand, background: BackgroundTasks): Promise<ToolResult> {
  const { command, timeoutMs, mayStay } = finished;
  // A model that meant seconds reads the unit.
  const time = timeoutMs < 1000 ? `${timeoutMs} ms` : `${timeoutMs / 1000}s`;
  if (!mayStay || isEndedAtTimeout(command)) {
    return await endedResult(finished, background, `Command timed out after ${time} and was ended.`, {
      interrupted: true,
      timedOutAfterMs: timeoutMs,
    });
  }
  const why = `did not complete within its ${time} timeout and was moved to the background`;
  return movedToBackgroundResult(finished, background, why, { timedOutAfterMs: timeoutMs });
}

/** The command continues; the call no longer waits for it. */
function movedToBackgroundResult(
  { run, command, toolUseId, limit, lifetimeMs, notesFor }: FinishedCommand,
  background: BackgroundTasks,
  why: string,
  facts: Partial<ResultFacts>,
): ToolResult {
  const note = notesFor(null);
  const task = background.keepAsTask(run, { command, toolUseId, lifetimeMs });
  const rendered = renderOutput(run.output, limit);
  const where = task.outputPath === null ? "" : ` Read its output from ${task.outputPath}.`;
  const text = `Command ${why} with ID: ${task.id}.${where} TaskStop ends it.`;
  const own: ResultFacts = { interrupted: false, backgroundTaskId: task.id, ...facts };
  return { content: joinTexts([text, outputText(rendered), note]), output: clientOutput(rendered, run, own) };
}

async function endedResult(
  finished: FinishedCommand,
  background: BackgroundTasks,
  text: string,
  facts: ResultFacts,
): Promise<ToolResult> {
  const { run, limit, notesFor } = finished;
  let note = "";
  await background.end(run, () => {
    note = notesFor(run.exit?.code ?? null);
  });
  const rendered = renderOutput(run.output, Math.min(limit, failureLimit));
  return {
    content: joinTexts([text, outputText(rendered), note]),
    isError: true,
    output: clientOutput(rendered, run, facts),
  };
}
