/** What a session has for work in common: tools for the list of tasks, and the way to the team, which is there once one of them is used. */
import { loadOnce } from "../../lib/load-once.ts";
import type { Tool } from "../../protocol/tool.ts";
import { environmentFlag } from "../../tools/dependencies.ts";
import type { AgentSeat, Joined } from "../joined.ts";
import type { EngineOptions } from "../options.ts";
import type { Surroundings } from "../surroundings.ts";
import { createTaskTool, taskToolNames, type RunTaskTool } from "./task-tools.ts";
import type { Team } from "./team.ts";

const loadTeam = loadOnce(() => import("./team.ts"));

/** Of a session and all agents below it. */
export class TeamSlot {
  /** Undefined until somebody has asked for it. */
  team: Team | undefined;
  #opening: Promise<Team> | undefined;

  async open(root: Joined): Promise<Team> {
    this.#opening ??= loadTeam().then(({ Team: Made }) => new Made(root));
    this.team = await this.#opening;
    return this.team;
  }
}

export interface TeamParts {
  slot: TeamSlot;
  tools: Tool[];
}

/** `owner`: the session the tools belong to, once it is there. */
export function composeTeam(
  { tools }: EngineOptions,
  { env }: Pick<Surroundings, "env">,
  seat: AgentSeat | undefined,
  owner: () => Joined | undefined,
): TeamParts {
  const slot = seat?.root.team ?? new TeamSlot();
  const isOn = environmentFlag(env, "CLAUDE_CODE_ENABLE_TASKS", false);
  const names = taskToolNames.filter((name) => tools?.includes(name) ?? isOn);
  if (names.length === 0) return { slot, tools: [] };
  const run: RunTaskTool = async (name, input, context) => {
    const joined = owner();
    if (joined === undefined) return { content: "The session is not ready.", isError: true };
    const team = await slot.open(joined.seat?.root ?? joined);
    return await team.runTaskTool(name, input, context, joined);
  };
  return { slot, tools: names.map((name) => createTaskTool(name, run)) };
}
