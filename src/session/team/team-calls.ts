/** The model's calls on the team: a teammate joins, a message is sent, the task list is read or changed. */
import type { ToolContext, ToolInput, ToolProgress, ToolResult } from "../../protocol/tool.ts";
import { failureResult } from "../../tools/failure.ts";
import type { AgentCall } from "../agents/agent-tool.ts";
import type { Joined } from "../joined.ts";
import type { OpenAgentSession } from "../session.ts";
import { startTeammate } from "./enlist.ts";
import { KeptFileError } from "./kept-file.ts";
import { leadName } from "./names.ts";
import { sendMessage } from "./send-calls.ts";
import { ownerNews, type TaskUpdate } from "./task.ts";
import type { TaskRooms } from "./task-calls.ts";
import type { TaskToolName } from "../tools/session-tool-names.ts";
import type { Team } from "./team.ts";

export async function startMember(
  team: Team,
  call: AgentCall & { name: string },
  open: OpenAgentSession,
): Promise<ToolResult> {
  return await errorsAsResults(() => startTeammate(team, call, open));
}

export async function sendLetter(
  team: Team,
  input: ToolInput,
  calling: {
    caller: Joined;
    open: OpenAgentSession;
    context: ToolContext;
    onProgress: (progress: ToolProgress) => void;
  },
): Promise<ToolResult> {
  return await errorsAsResults(() => sendMessage(input, { ...calling, team, from: agentName(calling.caller) }));
}

export async function runTaskTool(
  team: Team,
  { name, input, context }: { name: TaskToolName; input: ToolInput; context: ToolContext },
  caller: Joined,
): Promise<ToolResult> {
  return await errorsAsResults(() => team.tasks.calls.run(name, input, context, roomsOf(team, caller)));
}

function roomsOf(team: Team, caller: Joined): TaskRooms {
  const { agentRun, options, hooks, around } = caller;
  const { teammate } = options;
  const name = agentName(caller);
  return {
    hooks,
    notice: around.notice,
    // A host may have made this session a member of its own team, with a named task list.
    actor: { name: teammate?.name ?? name, isLead: agentRun === undefined && teammate === undefined },
    ...(teammate === undefined ? {} : { teammate }),
    onChange: (update, by) => notifyOwners(team, update, by),
    stop: (reason) => team.live.get(name)?.stopAfterTurn(reason),
  };
}

/** A teammate is woken when it is given a task. Owners that are not in this session are not notified. */
function notifyOwners(team: Team, update: TaskUpdate, by: string): void {
  const about = { kind: "message" as const, from: by, summary: `task #${update.task.id}` };
  const letters = ownerNews(update, by).flatMap((news) => (team.live.has(news.to) ? [{ ...about, ...news }] : []));
  const problem = letters.length === 0 ? null : team.post.send(letters);
  if (problem !== null) team.root.around.notice(problem);
}

/** Returns the agent's name, or its id if it has none. */
function agentName({ agentRun }: Joined): string {
  return agentRun?.member?.port.name ?? agentRun?.id ?? leadName;
}

async function errorsAsResults(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof KeptFileError) return failureResult(error.message);
    throw error;
  }
}
