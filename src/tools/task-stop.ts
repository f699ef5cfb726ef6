/** TaskStop: ends a background task or agent. */
import type { Tool, ToolInput, ToolInputSchema } from "../protocol/tool.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { failureResult } from "./failure.ts";
import { describeCall } from "./paths.ts";

function taskIdOf(input: ToolInput): string | undefined {
  const id = input["task_id"] ?? input["shell_id"];
  return typeof id === "string" && id !== "" ? id : undefined;
}

const inputSchema: ToolInputSchema = {
  type: "object",
  properties: { task_id: { type: "string" }, shell_id: { type: "string", description: "Deprecated" } },
};

export function createTaskStopTool(dependencies: ToolDependencies): Tool {
  const { background } = dependencies;
  return {
    name: "TaskStop",
    aliases: ["KillShell", "KillBash"],
    description: "Ends a background command, or an agent, and everything it started.",
    inputSchema,
    replay: "idempotent",
    maxResultSizeChars: 10_000,
    isConcurrencySafe: () => false,
    // The tool ends only what the session itself started.
    isReadOnly: () => true,
    describe: (input) => describeCall("TaskStop", taskIdOf(input)),
    validateInput: (input) =>
      taskIdOf(input) === undefined ? { ok: false, message: "task_id is missing." } : { ok: true },
    async call(input) {
      const id = taskIdOf(input) ?? "";
      const { agents } = dependencies;
      if ((await agents?.stop(id)) === true) {
        const message = `Stopped agent ${id}.`;
        return { content: message, output: { message, task_id: id, task_type: "local_agent" } };
      }
      const before = background.get(id);
      const task = await background.stop(id);
      if (before === undefined || task === undefined) {
        const commands = background.list().filter(({ status }) => status === "running");
        const running = [...commands.map((one) => one.id), ...(agents?.running() ?? [])];
        const known = running.length === 0 ? "Nothing runs in the background." : `Running: ${running.join(", ")}.`;
        return failureResult(`There is no background task ${JSON.stringify(id)}. ${known}`);
      }
      const message =
        before.status === "running"
          ? `Stopped task ${id}.`
          : `Task ${id} was already over (${before.status}, exit code ${before.exitCode ?? "none"}).`;
      const where = task.outputPath === null ? "" : ` Its output is in ${task.outputPath}.`;
      return {
        content: `${message}${where}`,
        output: { message, task_id: id, task_type: "local_bash", command: task.command },
      };
    },
  };
}
