/** The running background tasks that hooks see at the end of a turn: commands, agents and working teammates. */
import { headOf } from "../../lib/text-cut.ts";
import type { HookBackgroundTask } from "../../protocol/hook.ts";
import type { BackgroundTasks } from "../../tools/shell/background.ts";
import type { AgentTree } from "../agents/tree.ts";

const maxCharacters = 1_000;

/** `excludedId`: id of the agent whose turn ends; it is left out. */
export function backgroundTasks(
  commands: Pick<BackgroundTasks, "list">,
  agents: AgentTree,
  excludedId: string | undefined,
): HookBackgroundTask[] {
  const status = "running" as const;
  const shells = commands.list().filter((task) => task.status === status);
  const others = agents.workingInBackground().filter(({ id }) => id !== excludedId);
  return [
    ...shells.map(({ id, command, description = command }): HookBackgroundTask => {
      return { id, type: "shell", status, description: truncate(description), command };
    }),
    ...others.map(({ id, type, description, teammate }): HookBackgroundTask => {
      const about = { id, status, description: truncate(description), agent_type: type };
      return teammate === undefined
        ? { ...about, type: "subagent" }
        : { ...about, type: "teammate", name: teammate.name };
    }),
  ];
}

function truncate(text: string): string {
  const left = text.length - maxCharacters;
  return left > 0 ? `${headOf(text, maxCharacters)}… [+${left} chars]` : text;
}
