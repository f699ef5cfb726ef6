/** Background tasks, as reported to hosts. */
import { headOf } from "../../lib/text-cut.ts";
import type { BackgroundTask } from "../../tools/shell/background.ts";
import type { RunningAgent } from "../agents/tree.ts";
import type { SDKBackgroundTask } from "../../protocol/sdk-control.ts";
import type { SDKTaskNotification } from "../../protocol/sdk-task.ts";
import { asFireAndForget } from "../../lib/fire-and-forget.ts";
import { fromEndedTask } from "../events/convert-attachment.ts";
import type { Joined } from "../joined.ts";
import { endedTask } from "../tools/ended-tasks.ts";

export function commandTask({
  id,
  toolUseId,
  status,
  command,
  description,
  exitCode,
}: BackgroundTask): SDKBackgroundTask {
  return {
    task_id: id,
    ...(toolUseId === undefined ? {} : { tool_use_id: toolUseId }),
    task_type: "shell",
    status,
    description: description ?? headOf(command, 200),
    exit_code: exitCode,
  };
}

function agentTask({ id, description, teammate }: RunningAgent): SDKBackgroundTask {
  const common = { task_id: id, description, exit_code: null };
  if (teammate === undefined) return { ...common, task_type: "subagent", status: "running" };
  const status = teammate.isIdle() ? "paused" : "running";
  return { ...common, task_type: "teammate", name: teammate.name, status };
}

/** Background agents, then commands. */
export function taskList({ agents, tools }: Pick<Joined, "agents" | "tools">): SDKBackgroundTask[] {
  const backgroundAgents = agents.list().filter(({ isBackground }) => isBackground);
  return [...backgroundAgents.map(agentTask), ...tools.shared.background.list().map(commandTask)];
}

/** Stops a task by its id, or by a teammate's name. Returns its state after that; undefined if there is no such task. */
export async function stopTask(
  { agents, tools }: Pick<Joined, "agents" | "tools">,
  id: string,
): Promise<SDKBackgroundTask | undefined> {
  const agent = agents.list().find((each) => each.id === id || each.teammate?.name === id);
  if (agent !== undefined && (await agents.stop(id, "user"))) return { ...agentTask(agent), status: "killed" };
  const task = await tools.shared.background.stop(id);
  return task === undefined ? undefined : commandTask(task);
}

/** Reports the ends of commands. Errors thrown by the listener are ignored. */
export function onTaskEnd(
  { tools, around, store }: Pick<Joined, "tools" | "around" | "store">,
  listener: (message: SDKTaskNotification) => void,
): () => void {
  const notify = asFireAndForget(listener);
  return tools.shared.background.onSettled((task) =>
    notify(fromEndedTask(endedTask(task), around.ids.uuid(), store.sessionId)),
  );
}
