/** The work of the Bash tool. */
import { hasErrorCode } from "../../lib/error-text.ts";
import { reasonOf } from "../../lib/system-reason.ts";
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { runsInBackground } from "../../protocol/open-tasks.ts";
import type { ConfinedCommand } from "../../protocol/sandbox.ts";
import type { ToolContext, ToolProgress, ToolResult } from "../../protocol/tool.ts";
import type { ToolDependencies } from "../dependencies.ts";
import { mayWorkInBackground, environmentNumber } from "../variables.ts";
import { cwdResetLine } from "../cwd.ts";
import { failureResult } from "../failure.ts";
import { resolvePath } from "../paths.ts";
import { shownFile } from "./command-facts.ts";
import { awaitEnding, startCommand, type StartedCommand } from "./execute.ts";
import { finishCommand, backgroundStartResult } from "./finish.ts";
import { NotStartedError, waitUntilReady } from "./wait-before-command.ts";
import { findShell } from "./program.ts";
import type { Shell } from "./configured-shell.ts";
import { progressText } from "./result.ts";
import type { ShellRun } from "./run.ts";
import { settleCwd } from "./settle-cwd.ts";
import { lifetimes, timeoutOf } from "./timeout.ts";

export interface BashInput {
  command: string;
  timeout?: number;
  description?: string;
  run_in_background?: boolean;
  dangerouslyDisableSandbox?: boolean;
}

/** Records a file as read if the command only shows it and the file is the same before and after. */
async function runAndRecordShownFile(
  input: BashInput,
  context: ToolContext,
  dependencies: ToolDependencies,
  run: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const shown = shownFile(input.command);
  if (shown === undefined) return await run();
  const path = resolvePath(shown.path, context.cwd, dependencies.home);
  // `grep -r` takes a folder, which is not recorded.
  const look = async (): Promise<{ mtimeMs: number; size: number } | undefined> =>
    await stat(path).then(
      (found) => (found.isFile() ? found : undefined),
      () => undefined,
    );
  const before = await look();
  const result = await run();
  const after = await look();
  if (result.isError === true || runsInBackground(result.output) || before === undefined || after === undefined)
    return result;
  const { mtimeMs, size } = after;
  if (before.mtimeMs !== mtimeMs || before.size !== size) return result;
  const place = await realpath(path).catch(() => undefined);
  // No await from here on: another command may show the same file at the same time.
  const known = dependencies.readState.get(path);
  const isPartial =
    !shown.isWhole || size > environmentNumber(dependencies.environment, "BASH_MAX_OUTPUT_LENGTH", 30_000, 150_000);
  // Keep a record of this version that says how far the file was read before.
  if (known?.mtimeMs === mtimeMs && known.size === size && (isPartial || known.partial !== true)) return result;
  const record = isPartial ? { mtimeMs, size, partial: true } : { mtimeMs, size };
  dependencies.readState.set(path, record, { toolUseId: context.toolUseId, place });
  return result;
}

/** Why no shell can start in this folder; undefined if one can. `remedy`: what must happen first if no other folder is left. */
async function startProblem(folder: string): Promise<{ why: string; remedy: string } | undefined> {
  const missingFolder = { why: "is no longer there", remedy: "it exists again: Write creates the folders of a file" };
  try {
    if (!(await stat(folder)).isDirectory()) return missingFolder;
    await access(folder, constants.X_OK);
    return undefined;
  } catch (error) {
    if (!hasErrorCode(error, "EACCES")) return missingFolder;
    return { why: "may no longer be entered", remedy: "the user has changed its permissions" };
  }
}

async function startFailure(error: unknown, context: ToolContext, { cwd }: ToolDependencies): Promise<ToolResult> {
  if (error instanceof NotStartedError)
    return {
      ...failureResult(error.message),
      output: { stdout: "", stderr: "", interrupted: true, isImage: false },
    };
  const closed = await startProblem(context.cwd);
  if (closed !== undefined) {
    const explanation = `The working directory ${context.cwd} ${closed.why}, so nothing was run.`;
    for (const root of cwd.roots()) {
      if ((await startProblem(root)) !== undefined) continue;
      cwd.set(root);
      return failureResult(`${explanation}\n${cwdResetLine(root)}`);
    }
    return failureResult(`${explanation} No command can run until ${closed.remedy}.`);
  }
  if (hasErrorCode(error, "E2BIG"))
    return failureResult(
      "The command and the environment are together too long for the system. Put the data into a file with Write.",
    );
  return failureResult(`The command could not be started: ${reasonOf(error)}.`);
}

function createProgressReporter(
  context: ToolContext,
  startedAt: number,
  dependencies: ToolDependencies,
  onProgress: (progress: ToolProgress) => void,
): (run: ShellRun) => void {
  let reportedBytes = 0;
  return ({ output }) => {
    if (output.total === reportedBytes) return;
    const text = progressText(output, reportedBytes);
    reportedBytes = output.total;
    const elapsedMs = Math.round(dependencies.clock.elapsed() - startedAt);
    onProgress({
      toolUseId: context.toolUseId,
      toolName: "Bash",
      text,
      elapsedMs,
      data: { totalBytes: reportedBytes },
    });
  };
}

async function runCommand(
  shell: Shell,
  input: BashInput,
  context: ToolContext,
  dependencies: ToolDependencies,
  onProgress: (progress: ToolProgress) => void,
): Promise<ToolResult> {
  const { clock, environment, background } = dependencies;
  const lifetime = lifetimes(dependencies.backgroundMs);
  const memory = environmentNumber(environment, "BASH_MAX_OUTPUT_LENGTH", 30_000, 150_000);
  const timeoutMs = timeoutOf(input, environment);
  const started = clock.elapsed();
  let startedCommand: StartedCommand;
  try {
    const { toolUseId, cwd, signal } = context;
    const ready = (): Promise<void> => waitUntilReady(context);
    startedCommand = await startCommand(shell, { input, toolUseId, cwd, signal, ready }, memory, dependencies);
  } catch (error) {
    return await startFailure(error, context, dependencies);
  }
  const { run, confined } = startedCommand;
  const mayStay = mayWorkInBackground(environment);
  if (input.run_in_background === true) {
    const lifetimeMs = Math.min(input.timeout ?? lifetime.defaultMs, lifetime.maxMs);
    const { command, description } = input;
    return backgroundStartResult(
      background.keepAsTask(run, { command, description, toolUseId: context.toolUseId, lifetimeMs }),
    );
  }
  const reportProgress = createProgressReporter(context, started, dependencies, onProgress);
  const movable = (move: () => void): (() => void) =>
    mayStay ? background.foreground.add(context.toolUseId, move) : () => {};
  const common = { timeoutMs, signal: context.signal, movable, onProgress: reportProgress };
  const watch = { ...common, leavesNothing: confined !== undefined };
  const ending = await awaitEnding(run, watch, clock);
  const endFolder = ending === "exited" ? run.cwd : undefined;
  const cwdNote = await settleCwd(dependencies.cwd, input.command, context.cwd, endFolder);
  const notes = [cwdNote, shellNote(shell)].filter((part) => part !== undefined);
  return await finishCommand(
    {
      run,
      ending,
      command: input.command,
      toolUseId: context.toolUseId,
      timeoutMs,
      limit: memory,
      lifetimeMs: lifetime.defaultMs,
      mayStay,
      notesFor: (exitCode) => [...notes, sandboxNote(run, exitCode, confined) ?? []].flat().join("\n"),
    },
    background,
  );
}

function shellNote({ isBash, isChosen, path }: Shell): string | undefined {
  if (isBash) return undefined;
  return isChosen === true ? `[This was run by ${path}.]` : "[There is no bash here: this was run by sh.]";
}

/** The most bytes of stderr that are searched for what the sandbox refused. */
const searchedStderrBytes = 32_768;

function sandboxNote(
  run: ShellRun,
  exitCode: number | null,
  confined: ConfinedCommand | undefined,
): string | undefined {
  if (confined === undefined) return undefined;
  const { head, tail } = run.output.stream("stderr");
  const stderr = Buffer.concat([head, tail]).subarray(0, searchedStderrBytes).toString();
  return confined.explain({ exitCode, stderr });
}

type OnProgress = (progress: ToolProgress) => void;

/** Runs the commands of one session; looks for the shell once. */
export function createCommandRunner(
  dependencies: ToolDependencies,
): (input: BashInput, context: ToolContext, onProgress: OnProgress) => Promise<ToolResult> {
  const shell = findShell(dependencies.environment, dependencies.cwd.get());
  return async (input, context, onProgress) => {
    if (shell === undefined) return failureResult("There is no shell on this machine: neither bash nor sh was found.");
    return await runAndRecordShownFile(input, context, dependencies, () =>
      runCommand(shell, input, context, dependencies, onProgress),
    );
  };
}
