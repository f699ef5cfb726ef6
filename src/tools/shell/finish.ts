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
  /** Past its timeout the command goes on in the background, if it is worth keeping. */
  mayStay: boolean;
  /** Returns lines for the model to show after the output. Null: the command goes on. */
  noteAt: (exitCode: number | null) => string;
}

/** The most bytes of output a failure may show. */
const failureLimit = 10_000;

interface Facts {
  interrupted: boolean;
  backgroundTaskId?: string;
  timedOutAfterMs?: number;
  backgroundedByUser?: true;
  returnCodeInterpretation?: string;
}

function outputOf(rendered: RenderedOutput, run: ShellRun, facts: Facts): unknown {
  const file =
    rendered.isCut && run.output.path !== null
      ? { persistedOutputPath: run.output.path, persistedOutputSize: run.output.total }
      : {};
  return { stdout: rendered.stdout, stderr: rendered.stderr, isImage: false, ...facts, ...file };
}

function joinTexts(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join("\n");
}

function bodyOf(rendered: RenderedOutput): string {
  return joinTexts([textForModel(rendered.stdout), textForModel(rendered.stderr)]);
}

function runningText(task: BackgroundTask): string {
  const output = task.outputPath === null ? "" : ` Their output goes to ${task.outputPath}.`;
  return `[It left processes running, kept as background task ${task.id}.${output} TaskStop ends them; so does the end of the session.]`;
}

export function startedInBackground(task: BackgroundTask): ToolResult {
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
      return exited(finished, background);
    case "timeout":
      return await timedOut(finished, background);
    case "moved":
      return kept(finished, background, "was moved to the background by the user", { backgroundedByUser: true });
    case "aborted":
      return await ended(finished, background, "The command was interrupted before it finished.", {
        interrupted: true,
      });
    case "excess":
      return await ended(
        finished,
        background,
        `The command printed ${run.output.total} bytes and was ended. Print less, or write to a file.`,
        { interrupted: false },
      );
    default:
      return ending satisfies never;
  }
}

function exited(finished: FinishedCommand, background: BackgroundTasks): ToolResult {
  const { run, command, toolUseId, limit, noteAt } = finished;
  const code = run.exit?.code ?? 0;
  const note = noteAt(code);
  const meaning = code === 1 ? meaningOfExitCodeOne(command, run.output.stream("stderr").head.length > 0) : undefined;
  const isFailure = code !== 0 && meaning === undefined;
  const left = run.isClosed ? undefined : background.keep(run, { command, toolUseId });
  const rendered = renderOutput(run.output, isFailure ? Math.min(limit, failureLimit) : limit);
  if (left === undefined) background.release(run);
  const facts: Facts = { interrupted: false };
  if (left !== undefined) facts.backgroundTaskId = left.id;
  if (meaning !== undefined) facts.returnCodeInterpretation = meaning;
  const signal = run.exit?.signal;
  const body = bodyOf(rendered);
  const text = joinTexts([
    isFailure ? `Exit code ${code}${signal ? ` (ended by ${signal})` : ""}` : undefined,
    body,
    meaning === undefined ? undefined : `[Exit code 1: ${meaning}]`,
    body === "" && code === 0 && left === undefined ? noOutput : undefined,
    left === undefined ? undefined : runningText(left),
    note,
  ]);
  return { content: text, isError: isFailure, output: outputOf(rendered, run, facts) };
}

async function timedOut(finished: FinishedCommand, background: BackgroundTasks): Promise<ToolResult> {
  const { command, timeoutMs, mayStay } = finished;
  const seconds = `${timeoutMs / 1000}s`;
  if (!mayStay || isEndedAtTimeout(command)) {
    return await ended(finished, background, `Command timed out after ${seconds} and was ended.`, {
      interrupted: true,
      timedOutAfterMs: timeoutMs,
    });
  }
  const why = `did not complete within its ${seconds} timeout and was moved to the background`;
  return kept(finished, background, why, { timedOutAfterMs: timeoutMs });
}

/** The command goes on; the call no longer waits for it. */
function kept(
  { run, command, toolUseId, limit, lifetimeMs, noteAt }: FinishedCommand,
  background: BackgroundTasks,
  why: string,
  facts: Partial<Facts>,
): ToolResult {
  const note = noteAt(null);
  const task = background.keep(run, { command, toolUseId, lifetimeMs });
  const rendered = renderOutput(run.output, limit);
  const where = task.outputPath === null ? "" : ` Read its output from ${task.outputPath}.`;
  const text = `Command ${why} with ID: ${task.id}.${where} TaskStop ends it.`;
  const own: Facts = { interrupted: false, backgroundTaskId: task.id, ...facts };
  return { content: joinTexts([text, bodyOf(rendered), note]), output: outputOf(rendered, run, own) };
}

async function ended(
  finished: FinishedCommand,
  background: BackgroundTasks,
  text: string,
  facts: Facts,
): Promise<ToolResult> {
  const { run, limit, noteAt } = finished;
  let note = "";
  await background.end(run, () => {
    note = noteAt(run.exit?.code ?? null);
  });
  const rendered = renderOutput(run.output, Math.min(limit, failureLimit));
  return { content: joinTexts([text, bodyOf(rendered), note]), isError: true, output: outputOf(rendered, run, facts) };
}
