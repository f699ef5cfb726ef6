/** Bash: runs a command in its own shell, with limits on its time, its output and the processes it leaves behind. */
import { loadAhead, loadOnce } from "../lib/load-once.ts";
import { memoizeLast } from "../lib/memoize-last.ts";
import type { Tool, ToolInputSchema } from "../protocol/tool.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { mayWorkInBackground } from "./variables.ts";
import { commandContent } from "./output-content.ts";
import { describeCall } from "./paths.ts";
import type { BashInput, createCommandRunner } from "./shell/command.ts";
import { runsInBash } from "./shell/configured-shell.ts";
import { readOnlyKind } from "./shell/command-facts.ts";
import { lifetimes, timeoutOf, timeouts } from "./shell/timeout.ts";

const loadCommand = loadOnce(() => import("./shell/command.ts"));

/** Loads the command runner ahead of time: of all tools, Bash takes longest to load. */
export function loadBashAhead(): void {
  loadAhead(loadCommand);
}

const backgroundNote =
  "A command past its timeout goes on in the background. With run_in_background the call returns at once and names the file to Read the output from; TaskStop ends it.";
const timeoutNote = "A command past its timeout is ended.";

const descriptionFor = memoizeLast((carriesOver: boolean, mayStay: boolean): string => {
  const where = carriesOver
    ? "The working directory carries over to the next call (within the project), variables do not."
    : "Each call begins in the project's folder: neither the working directory nor variables carry over.";
  const end = mayStay ? backgroundNote : timeoutNote;
  return `Runs a command in bash. ${where} There is no terminal and no input. Long output is cut and kept whole in a file. ${end}`;
});

function sandboxText({ sandbox }: ToolDependencies): string {
  if (sandbox === undefined) return "";
  const leave = sandbox.mayLeave
    ? " Where a task needs more, dangerouslyDisableSandbox: true runs it outside, after the user has agreed: use it for what the sandbox refused, not at first."
    : "";
  return ` Commands run in a sandbox: they write in the working directories and $TMPDIR only (not /tmp), reach allowed hosts only, and leave no process running at their end. A failure that is the sandbox's says so.${leave}`;
}

/** The input schema, without the fields that are unavailable here (such as run_in_background). */
function inputSchemaFor({ environment, backgroundMs }: ToolDependencies): ToolInputSchema {
  const { defaultMs, maxMs } = timeouts(environment);
  const { defaultMs: lives, maxMs: longest } = lifetimes(backgroundMs);
  const mayStay = mayWorkInBackground(environment);
  const beyond = mayStay ? `; in the background ${lives} and ${longest}` : "";
  return buildSchema(`ms; default ${defaultMs}, at most ${maxMs}${beyond}`, mayStay);
}

const buildSchema = memoizeLast((timeout: string, mayStay: boolean): ToolInputSchema => ({
  type: "object",
  properties: {
    command: { type: "string" },
    timeout: { type: "number", exclusiveMinimum: 0, description: timeout },
    description: { type: "string", description: "What it does, in 5 to 10 words" },
    ...(mayStay ? { run_in_background: { type: "boolean" } } : {}),
    dangerouslyDisableSandbox: { type: "boolean" },
  },
  required: ["command"],
}));

export function createBashTool(dependencies: ToolDependencies): Tool {
  let run: ReturnType<typeof createCommandRunner> | undefined;
  const readKind = ({ command, run_in_background }: Record<string, unknown>): ReturnType<typeof readOnlyKind> =>
    typeof command === "string" && run_in_background !== true ? readOnlyKind(command) : undefined;
  const { cwd, environment } = dependencies;
  return {
    name: "Bash",
    description: descriptionFor(cwd.carriesOver, mayWorkInBackground(environment)) + sandboxText(dependencies),
    inputSchema: inputSchemaFor(dependencies),
    replay: "never",
    // Larger than any single output, which is already limited here; this value matters for the combined results of one message.
    maxResultSizeChars: 160_000,
    failureCancelsSiblings: true,
    isConcurrencySafe: (input) => readKind(input) === "beside",
    isReadOnly: (input) => readKind(input) !== undefined,
    timeLimitMs: (input) => timeoutOf(input, dependencies.environment) + 30_000,
    permissionSubjects: (input) => [
      {
        kind: "command",
        command: String(input["command"]),
        ...(runsInBash(dependencies.environment) ? {} : { shell: "sh" }),
      },
    ],
    describe: (input) => describeCall("Bash", input["command"]),
    onAnnounced() {
      dependencies.background.expectCommand();
      loadBashAhead();
    },
    validateInput(input) {
      const command = String(input["command"]);
      if (command.trim() === "") return { ok: false, message: "command is empty." };
      if (command.includes("\0"))
        return { ok: false, message: "command contains a NUL byte, which cannot be passed to a program." };
      if (input["run_in_background"] === true && !mayWorkInBackground(dependencies.environment))
        return { ok: false, message: "Commands do not run in the background here: run it without run_in_background." };
      dependencies.background.expectCommand();
      return { ok: true };
    },
    contentOf: commandContent,
    async call(input, context, onProgress) {
      const { createCommandRunner } = await loadCommand();
      run ??= createCommandRunner(dependencies);
      return await run(input as unknown as BashInput, context, onProgress);
    },
  };
}
