/** The team features of a session: tools for tasks and messages, and the team, which is created when one of them is first used. */
import { errorText } from "../../lib/error-text.ts";
import { loadOnce } from "../../lib/load-once.ts";
import type { Tool, ToolResult } from "../../protocol/tool.ts";
import { environmentFlag } from "../../tools/variables.ts";
import { failureResult } from "../../tools/failure.ts";
import type { AgentCall } from "../agents/agent-tool.ts";
import type { AgentRun, Joined, Mailbox, SharedTeam } from "../joined.ts";
import type { OpenAgentSession } from "../session.ts";
import type { EngineOptions } from "../options/options.ts";
import type { ReattachItem } from "../../context/reattach-item.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { leadName } from "./names.ts";
import { createSendMessageTool, sendMessageName } from "./send-message.ts";
import { taskToolNames, type TaskToolName } from "../tools/session-tool-names.ts";
import { createTaskTool } from "./task-tools.ts";
import type { ListedTask } from "./task.ts";
import type { Team } from "./team.ts";

const loadTeam = loadOnce(() => import("./team.ts"));
const loadCalls = loadOnce(() => import("./team-calls.ts"));

/** Shared by a session and all agents below it. */
export class TeamSlot implements SharedTeam {
  /** Undefined until it is first needed. */
  team: Team | undefined;
  readonly #hasTasks: boolean;
  #root: Joined | undefined;

  constructor(hasTasks: boolean) {
    this.#hasTasks = hasTasks;
  }

  /** Attaches the session itself, once it exists. */
  attach(root: Joined): void {
    this.#root = root;
  }

  async open(): Promise<Team> {
    const { Team: Made } = await loadTeam();
    if (this.#root === undefined) throw new Error("The session is not ready.");
    this.team ??= new Made(this.#root);
    return this.team;
  }

  /** Copies the task list if the session is a copy. */
  async copyTaskList({ around, store }: Joined): Promise<void> {
    if (!this.#hasTasks || store.forkedFrom === undefined) return;
    const { originalListPath } = await import("./task-store.ts");
    const original = originalListPath(store);
    if (original === null || around.machine.files.statusOf(original) === undefined) return;
    try {
      (await this.open()).listTasks();
    } catch (error) {
      around.notice(errorText(error));
    }
  }

  /** Returns the tasks for people; none if the task tools are not offered. Throws if the list cannot be read. */
  async listTasks(): Promise<ListedTask[]> {
    return this.#hasTasks ? (await this.open()).listTasks() : [];
  }

  reattached(): ReattachItem[] {
    const text = this.team?.state ?? "";
    return text === "" ? [] : [{ label: "the state of the team", name: "team", text }];
  }

  /** The number of messages that arrived since the lead's last turn began and that it was not told about. */
  get newsCount(): number {
    return this.team?.openPost?.newsCount ?? 0;
  }

  async whenNews(ended: Promise<void>): Promise<void> {
    await (this.team?.whenNews(ended) ?? ended);
  }
}

export interface TeamParts {
  slot: TeamSlot;
  mailbox: Mailbox | undefined;
  tools: Tool[];
  /** Whether an agent may be given a name. */
  hasTeammates: boolean;
  /** Handles a call of the Agent tool with a name. */
  start: (call: AgentCall & { name: string }) => Promise<ToolResult>;
  /** Delivers what has been waiting for the session since an earlier process. */
  resume: (owner: Joined) => Promise<void>;
}

export interface TeamPlaces {
  agentRun: AgentRun | undefined;
  open: OpenAgentSession;
  /** The session that owns the tools, once it exists. */
  owner: () => Joined | undefined;
}

export function composeTeam(options: EngineOptions, around: Pick<Surroundings, "env">, places: TeamPlaces): TeamParts {
  const { agentRun, open, owner } = places;
  const { taskTools, hasTeammates } = wantedTools(options, around);
  const above = agentRun?.root.team;
  const slot = above instanceof TeamSlot ? above : new TeamSlot(taskTools.length > 0);
  const withTeam = async (
    work: (calls: Awaited<ReturnType<typeof loadCalls>>, team: Team, joined: Joined) => Promise<ToolResult>,
  ): Promise<ToolResult> => {
    const joined = owner();
    if (joined === undefined) return failureResult("The session is not ready.");
    return await work(await loadCalls(), await slot.open(), joined);
  };
  const tools = taskTools.map((name) =>
    createTaskTool(name, (input, context) =>
      withTeam(({ runTaskTool }, team, caller) => runTaskTool(team, { name, input, context }, caller)),
    ),
  );
  if (hasTeammates)
    tools.push(
      createSendMessageTool((input, context, onProgress) =>
        withTeam(({ sendLetter }, team, caller) => sendLetter(team, input, { caller, open, context, onProgress })),
      ),
    );
  return {
    slot,
    mailbox: agentRun === undefined ? (hasTeammates ? mailboxOf(slot) : undefined) : agentRun.member?.mailbox,
    tools,
    hasTeammates: hasTeammates && agentRun === undefined,
    start: (call) => withTeam(({ startMember }, team) => startMember(team, call, open)),
    resume: async (joined) => {
      if (joined.store.forkedFrom !== undefined) await slot.copyTaskList(joined);
      if (hasTeammates && joined.source !== "startup") await reopenTeam(slot, joined);
    },
  };
}

/** The tools that are named; if no tools are named, those allowed by name or requested by the environment. */
function wantedTools(
  { tools, allowedTools = [] }: Pick<EngineOptions, "tools" | "allowedTools">,
  { env }: Pick<Surroundings, "env">,
): { taskTools: TaskToolName[]; hasTeammates: boolean } {
  const isTeam = environmentFlag(env, "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", false);
  // By convention, todo tools means the task list, unless the other variable says otherwise.
  const wantsLists = environmentFlag(env, "CLAUDE_CODE_ENABLE_TODO_TOOLS", false);
  const hasTasks = isTeam || environmentFlag(env, "CLAUDE_CODE_ENABLE_TASKS", wantsLists);
  const isWanted = (name: string, isOn: boolean): boolean =>
    tools === undefined ? isOn || allowedTools.includes(name) : tools.includes(name);
  return {
    taskTools: taskToolNames.filter((name) => isWanted(name, hasTasks)),
    hasTeammates: isWanted(sendMessageName, isTeam),
  };
}

function mailboxOf(slot: TeamSlot): Mailbox {
  return {
    take: () => slot.team?.openPost?.attachments(leadName) ?? [],
    markDelivered: (id) => slot.team?.openPost?.markDelivered(id),
    markAnnounced: () => slot.team?.openPost?.markAnnounced(),
    hasCutOff: () => slot.team?.openPost?.hasCutOff === true,
  };
}

async function reopenTeam(slot: TeamSlot, joined: Joined): Promise<void> {
  const { postPath } = await loadTeam();
  const path = postPath(joined);
  if (path === null || joined.around.machine.files.statusOf(path) === undefined) return;
  try {
    (await slot.open()).post.markAnnounced();
  } catch (error) {
    joined.around.notice(errorText(error));
  }
}
