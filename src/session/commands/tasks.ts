import { oneLine } from "../../lib/sanitize.ts";
import type { SDKBackgroundTask } from "../../protocol/sdk-control.ts";
import type { Command } from "./command.ts";

export const tasks: Command = {
  name: "tasks",
  argumentHint: "",
  description: "show the task list and what runs in the background",
  mayRunDuringTurn: true,
  takesNoArgument: true,
  async run(_argument, desk) {
    const session = desk.session();
    const background = session.desk.tasks();
    const list = await session.joined.team.listTasks();
    const lines = [...list.map(({ text }) => `  ${oneLine(text, 200)}`), ...background.map(taskLine)];
    const text = lines.length === 0 ? "The task list is empty, and nothing runs in the background." : lines.join("\n");
    return { text, data: { tasks: list.map(({ task }) => task), background } };
  },
};

function taskLine({ task_id: id, name, task_type: type, status, description }: SDKBackgroundTask): string {
  const kind = type === "shell" ? "command" : type === "teammate" ? "teammate" : "agent";
  return `  ${kind} ${oneLine(name ?? id, 40)} [${status === "paused" ? "idle" : status}] ${oneLine(description, 120)}`;
}
