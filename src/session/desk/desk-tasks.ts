/** What runs in the background, as it is told to hosts. */
import { headOf } from "../../lib/text-cut.ts";
import type { BackgroundTask } from "../../tools/shell/background.ts";
import type { RunningAgent } from "../agents/tree.ts";
import type { SDKBackgroundTask } from "../../protocol/sdk-control.ts";
import type { Joined } from "../joined.ts";

export function taskOf({ id, toolUseId, status, command, description, exitCode }: BackgroundTask): SDKBackgroundTask {
  return {
    task_id: id,
    ...(toolUseId === undefined ? {} : { tool_use_id: toolUseId }),
    task_type: "shell",
    status,
    description: description ?? headOf(command, 200),
    exit_code: exitCode,
  };
}

export function agentTask({ id, description, teammate }: RunningAgent): SDKBackgroundTask {
  const common = { task_id: id, description, exit_code: null };
  if (teammate === undefined) return { ...common, task_type: "subagent", status: "running" };
  const status = teammate.isIdle() ? "paused" : "running";
  return { ...common, task_type: "teammate", name: teammate.name, status };
}

/** Agents in the background, and commands. */
export function taskList({ agents, tools }: Pick<Joined, "agents" | "tools">): SDKBackgroundTask[] {
  const behind = agents.list().filter(({ isBackground }) => isBackground);
  return [...behind.map(agentTask), ...tools.shared.background.list().map(taskOf)];
}
