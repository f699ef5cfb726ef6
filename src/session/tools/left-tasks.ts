/** In a resumed session: background work that was running at its end and whose end was not reported. */
import { oneLine } from "../../lib/sanitize.ts";
import type { Attachment, Message, ToolUseBlock } from "../../protocol/message.ts";
import { OpenTasks, type OpenTask } from "../../protocol/open-tasks.ts";
import { isRepairResult } from "../../transcript/index.ts";

const maxSummaryChars = 200;
const agentTools: ReadonlySet<string> = new Set(["Agent", "Task"]);

/** Ids of agents by the call that started them. Only looked up if such a call was cut off. */
export type StartedAgents = () => ReadonlyMap<string, string>;

/** Returns one reminder per task: according to the conversation it still runs, or nobody knows what became of it. */
export function leftTaskReminders(messages: readonly Message[], startedAgents: StartedAgents): Attachment[] {
  const tasks = new OpenTasks();
  let openTasks: ReadonlyMap<string, string> | undefined;
  for (const message of messages) {
    tasks.take(message);
    for (const block of message.type === "user" ? message.content : []) {
      const call = block.type === "tool_result" && isRepairResult(block) ? tasks.callOf(block.tool_use_id) : undefined;
      if (call !== undefined && agentTools.has(call.name)) addCutOffTask(tasks, call, (openTasks ??= startedAgents()));
    }
  }
  return Array.from(tasks.open, ([id, each]) => taskReminder(id, each));
}

function addCutOffTask(
  { open }: OpenTasks,
  { id, input }: ToolUseBlock,
  startedAgents: ReadonlyMap<string, string>,
): void {
  const agentId = typeof input["resume"] === "string" ? input["resume"] : startedAgents.get(id);
  // An agent without a conversation had not started.
  if (agentId !== undefined) open.set(agentId, { what: "agent", toolUseId: id, about: input["description"] });
}

function taskReminder(taskId: string, { what, toolUseId, about }: OpenTask): Attachment {
  const summary = oneLine(typeof about === "string" ? about : "", maxSummaryChars);
  const sentence = `The ${what} ${taskId} (${summary}) was begun by an earlier run of the program`;
  const text =
    what === "background command"
      ? `${sentence} and ended with it, unless that run was killed or still goes on: TaskStop does not reach it. See whether it is there before you rely on it or start it again.`
      : `${sentence} and ended with it: you will hear no more of it. Agent with resume has it go on, or say what it found.`;
  const of = toolUseId === undefined ? {} : { toolUseId };
  const task = { taskId, ...of, status: "stopped" as const, exitCode: null, outputFile: null, summary };
  return { kind: "reminder", name: "task_ended", text, task };
}
