/** Bash: a command in a shell of its own, with bounds on its time, its output and what it leaves behind. */
import type { Tool, ToolInputSchema } from "../protocol/tool.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { commandContent } from "./output-content.ts";
import { describeCall } from "./paths.ts";
import type { BashInput, createCommandRunner } from "./shell/command.ts";
import { isPlainRead } from "./shell/command-facts.ts";
import { timeoutOf } from "./shell/timeout.ts";

const description =
  "Runs a command in bash. The working directory carries over to the next call (within the project), variables do not. There is no terminal and no input. For files prefer Read, Edit, Write, Glob and Grep. Long output is cut and kept whole in a file. A command past its timeout goes on in the background. With run_in_background the call returns at once and names the file to Read the output from; TaskStop ends it.";

function sandboxText({ sandbox }: ToolDependencies): string {
  if (sandbox === undefined) return "";
  const leave = sandbox.mayLeave
    ? " Where a task needs more, dangerouslyDisableSandbox: true runs it outside, after the user has agreed: use it for what the sandbox refused, not at first."
    : "";
  return ` Commands run in a sandbox: they write in the working directories and $TMPDIR only (not /tmp), reach allowed hosts only, and leave no process running at their end. A failure that is the sandbox's says so.${leave}`;
}

const inputSchema: ToolInputSchema = {
  type: "object",
  properties: {
    command: { type: "string" },
    timeout: { type: "number", exclusiveMinimum: 0, description: "ms; default 120000, at most 600000" },
    description: { type: "string", description: "What it does, in 5 to 10 words" },
    run_in_background: { type: "boolean" },
    dangerouslyDisableSandbox: { type: "boolean" },
  },
  required: ["command"],
};

export function createBashTool(dependencies: ToolDependencies): Tool {
  let run: Promise<ReturnType<typeof createCommandRunner>> | undefined;
  const isPlain = (input: Record<string, unknown>): boolean =>
    typeof input["command"] === "string" && input["run_in_background"] !== true && isPlainRead(input["command"]);
  return {
    name: "Bash",
    description: description + sandboxText(dependencies),
    inputSchema,
    replay: "never",
    // More than any output that is shown, which is bounded here already; it is for the results of one message together.
    maxResultSizeChars: 160_000,
    failureCancelsSiblings: true,
    isConcurrencySafe: isPlain,
    isReadOnly: isPlain,
    timeLimitMs: (input) => timeoutOf(input, dependencies.environment) + 30_000,
    permissionSubjects: (input) => [{ kind: "command", command: String(input["command"]) }],
    describe: (input) => describeCall("Bash", input["command"]),
    validateInput(input) {
      const command = String(input["command"]);
      if (command.trim() === "") return { ok: false, message: "command is empty." };
      if (command.includes("\0"))
        return { ok: false, message: "command contains a NUL byte, which no program can be given." };
      return { ok: true };
    },
    contentOf: commandContent,
    async call(input, context, onProgress) {
      run ??= import("./shell/command.ts").then(({ createCommandRunner }) => createCommandRunner(dependencies));
      return await (
        await run
      )(input as unknown as BashInput, context, onProgress);
    },
  };
}
