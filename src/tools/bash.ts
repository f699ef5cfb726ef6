/** Bash: a command in a shell of its own, with bounds on its time, its output and what it leaves behind. */
import { stat } from "node:fs/promises";
import type { Tool, ToolContext, ToolProgress, ToolResult } from "../protocol/tool.ts";
import { settleCwd } from "./cwd.ts";
import { environmentNumber, type ToolDependencies } from "./dependencies.ts";
import { failure, hasCode } from "./failure.ts";
import { describeCall, resolvePath } from "./paths.ts";
import { isPlainRead, shownFile } from "./shell/command-facts.ts";
import { finishCommand, startedInBackground } from "./shell/finish.ts";
import { awaitEnding, startCommand } from "./shell/execute.ts";
import { findShell, type Shell } from "./shell/program.ts";
import { progressText } from "./shell/result.ts";
import type { ShellRun } from "./shell/run.ts";

interface BashInput {
  command: string;
  timeout?: number;
  description?: string;
  run_in_background?: boolean;
}

const backgroundLifetimeMs = 1_800_000;
const mostBackgroundLifetimeMs = 7_200_000;

function timeoutOf(input: Partial<BashInput>, environment: ToolDependencies["environment"]): number {
  const most = environmentNumber(environment, "BASH_MAX_TIMEOUT_MS", 600_000);
  return Math.min(input.timeout ?? environmentNumber(environment, "BASH_DEFAULT_TIMEOUT_MS", 120_000), most);
}

/** A command that only shows a file has read it for the model; taken note of where the file is the same before and after. */
async function noteShownFile(
  input: BashInput,
  context: ToolContext,
  dependencies: ToolDependencies,
  run: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const shown = shownFile(input.command);
  if (shown === undefined) return await run();
  const path = resolvePath(shown.path, context.cwd, dependencies.home);
  const look = async (): Promise<{ mtimeMs: number; size: number } | undefined> =>
    await stat(path).catch(() => undefined);
  const before = await look();
  const result = await run();
  const after = await look();
  if (result.isError === true || before === undefined || after === undefined) return result;
  const { mtimeMs, size } = after;
  if (before.mtimeMs !== mtimeMs || before.size !== size) return result;
  const known = dependencies.readState.get(path);
  if (known?.mtimeMs === mtimeMs && known.size === size && known.partial !== true) return result;
  const isPartial =
    !shown.isWhole || size > environmentNumber(dependencies.environment, "BASH_MAX_OUTPUT_LENGTH", 30_000, 150_000);
  dependencies.readState.set(path, isPartial ? { mtimeMs, size, partial: true } : { mtimeMs, size });
  return result;
}

async function startFailure(error: unknown, context: ToolContext, { cwd }: ToolDependencies): Promise<ToolResult> {
  const isThere = await stat(context.cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isThere) {
    const back = cwd.roots()[0] ?? context.cwd;
    cwd.set(back);
    return failure(
      `The working directory ${context.cwd} is no longer there, so nothing was run. Shell cwd was reset to ${back}`,
    );
  }
  if (hasCode(error, "E2BIG"))
    return failure(
      "The command and the environment are together too long for the system. Put the data into a file with Write.",
    );
  return failure(`The command could not be started: ${error instanceof Error ? error.message : String(error)}`);
}

function reporter(
  context: ToolContext,
  started: number,
  dependencies: ToolDependencies,
  onProgress: (progress: ToolProgress) => void,
): (run: ShellRun) => void {
  let told = 0;
  return ({ output }) => {
    if (output.total === told) return;
    const text = progressText(output, told);
    told = output.total;
    const elapsedMs = dependencies.clock.now() - started;
    onProgress({ toolUseId: context.toolUseId, toolName: "Bash", text, elapsedMs, data: { totalBytes: told } });
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
  const memory = environmentNumber(environment, "BASH_MAX_OUTPUT_LENGTH", 30_000, 150_000);
  const timeoutMs = timeoutOf(input, environment);
  const started = clock.now();
  let run: ShellRun;
  try {
    run = await startCommand(shell, input.command, context.cwd, memory, dependencies);
  } catch (error) {
    return await startFailure(error, context, dependencies);
  }
  if (input.run_in_background === true) {
    const lifetimeMs = Math.min(input.timeout ?? backgroundLifetimeMs, mostBackgroundLifetimeMs);
    return startedInBackground(
      background.keep(run, { command: input.command, description: input.description, lifetimeMs }),
    );
  }
  const watch = { timeoutMs, signal: context.signal, onProgress: reporter(context, started, dependencies, onProgress) };
  const ending = await awaitEnding(run, watch, clock);
  const cwdNote = ending === "exited" ? await settleCwd(dependencies.cwd, context.cwd, run.cwd) : undefined;
  const note = shell.isBash
    ? cwdNote
    : [cwdNote, "[There is no bash here: this was run by sh.]"].filter((part) => part !== undefined).join("\n");
  return await finishCommand(
    { run, ending, command: input.command, timeoutMs, limit: memory, lifetimeMs: backgroundLifetimeMs, note },
    background,
  );
}

export function createBashTool(dependencies: ToolDependencies): Tool {
  let shell: Promise<Shell | undefined> | undefined;
  const isPlain = (input: Record<string, unknown>): boolean =>
    typeof input["command"] === "string" && input["run_in_background"] !== true && isPlainRead(input["command"]);
  return {
    name: "Bash",
    description:
      "Runs a command in bash. The working directory carries over to the next call (within the project), variables do not. There is no terminal and no input. For files prefer Read, Edit, Write, Glob and Grep. Long output is cut and kept whole in a file. A command past its timeout goes on in the background. With run_in_background the call returns at once and names the file to Read the output from; TaskStop ends it.",
    inputSchema: {
      type: "object",
      properties: {
        command: { type: "string" },
        timeout: { type: "number", exclusiveMinimum: 0, description: "ms; default 120000, at most 600000" },
        description: { type: "string", description: "What it does, in 5 to 10 words" },
        run_in_background: { type: "boolean" },
        dangerouslyDisableSandbox: { type: "boolean" },
      },
      required: ["command"],
    },
    replay: "never",
    // Output is bounded here already, with a file for the rest.
    maxResultSizeChars: Infinity,
    failureCancelsSiblings: true,
    isConcurrencySafe: isPlain,
    isReadOnly: isPlain,
    timeLimitMs: (input) => timeoutOf(input, dependencies.environment) + 30_000,
    permissionSubjects: (input) => [{ kind: "command", command: String(input["command"]) }],
    describe: (input) => describeCall("Bash", input["command"]),
    async validateInput(input) {
      const command = String(input["command"]);
      if (command.trim() === "") return { ok: false, message: "command is empty." };
      if (command.includes("\0"))
        return { ok: false, message: "command contains a NUL byte, which no program can be given." };
      return { ok: true };
    },
    async call(rawInput, context, onProgress) {
      const input = rawInput as unknown as BashInput;
      shell ??= findShell(dependencies.environment["PATH"]);
      const found = await shell;
      if (found === undefined) return failure("There is no shell on this machine: neither bash nor sh was found.");
      return await noteShownFile(input, context, dependencies, () =>
        runCommand(found, input, context, dependencies, onProgress),
      );
    },
  };
}
