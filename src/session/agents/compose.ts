/** The agents of a session: the kinds it has, the tree they make, and the tool that starts them. */
import { loadOnce } from "../../lib/load-once.ts";
import type { NamedAgent } from "../../protocol/agent.ts";
import type { Tool } from "../../protocol/tool.ts";
import type { AgentSeat, Joined } from "../joined.ts";
import type { EngineOptions } from "../options.ts";
import type { Surroundings } from "../surroundings.ts";
import { wholeNumber } from "../model-parts.ts";
import { composeTeam } from "../team/compose.ts";
import { createAgentTool } from "./agent-tool.ts";
import { agentDefinitions } from "./definitions.ts";
import type { OpenSeat } from "./run-agent.ts";
import { AgentTree, type AgentLimits } from "./tree.ts";

const loadRunner = loadOnce(() => import("./run-agent.ts"));

export interface AgentParts {
  crew: Pick<Joined, "agents" | "agentTypes" | "agentNews" | "team" | "letters">;
  /** The Agent tool, and those of a team, where they are wanted. */
  tools: Tool[];
  /** The session they belong to, once it is there. */
  attach(joined: Joined): Promise<void>;
}

export interface AgentPlaces {
  seat: AgentSeat | undefined;
  open: OpenSeat;
  /** Of files. */
  found: readonly NamedAgent[];
}

/** Fields of files that this version does not act on: whoever wrote one would count on it. */
const notBuilt = ["hooks", "mcpServers", "memory", "skills"] as const;

function tellUnused(found: readonly NamedAgent[], notice: (text: string) => void): void {
  for (const agent of found) {
    const unused = notBuilt.filter((field) => field in agent && agent[field as keyof NamedAgent] !== undefined);
    if (unused.length > 0)
      notice(`The agent ${agent.name} asks for ${unused.join(", ")}, which agents do not have in this version.`);
  }
}

export function composeAgents(options: EngineOptions, around: Surroundings, places: AgentPlaces): AgentParts {
  const { seat, open, found } = places;
  const agents = seat?.root.agents ?? new AgentTree(limitsOf(options, around.env));
  const agentTypes = seat?.root.agentTypes ?? agentDefinitions(found, options.agents);
  if (seat === undefined)
    tellUnused([...found, ...agentTypes.filter(({ source }) => source === "option")], around.notice);
  let owner: Joined | undefined;
  const team = composeTeam(options, around, { seat, open, owner: () => owner });
  const tool = createAgentTool(
    agentTypes,
    async (call) => {
      if (owner === undefined) return { content: "The session is not ready.", isError: true };
      const { name } = call;
      if (name !== undefined) return await team.start({ ...call, name });
      const { runAgent } = await loadRunner();
      return await runAgent(owner, call, open);
    },
    team.hasTeammates,
  );
  const attach = async (joined: Joined): Promise<void> => {
    owner = joined;
    const { letters } = team;
    if (letters !== undefined) joined.conversation.onMail = (id) => letters.delivered(id);
    if (seat !== undefined) return;
    const running = (): string[] => agents.list().flatMap(({ id, isBackground }) => (isBackground ? [id] : []));
    joined.tools.shared.agents = { running, stop: (id) => agents.stop(id) };
    team.slot.attach(joined);
    await team.resume(joined);
  };
  const isWanted = options.tools === undefined || options.tools.some((name) => name === "Agent" || name === "Task");
  const tools = isWanted ? [tool, ...team.tools] : team.tools;
  const crew = { agents, agentTypes, agentNews: [], team: team.slot, letters: team.letters };
  return { crew, tools, attach };
}

function limitsOf({ agentLimits }: EngineOptions, env: Surroundings["env"]): Partial<AgentLimits> {
  const depth = wholeNumber(env["CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH"], 0);
  const concurrent = wholeNumber(env["CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS"]);
  return {
    ...(depth === undefined ? {} : { depth }),
    ...(concurrent === undefined ? {} : { concurrent }),
    ...agentLimits,
  };
}
