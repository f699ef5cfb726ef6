/** The agents of a session: the available types, the tree of running agents, and the tool that starts them. */
import { withoutUndefined } from "../lib/without-undefined.ts";
import { Waking } from "./hooks/waking.ts";
import { loadOnce } from "../lib/load-once.ts";
import type { NamedAgent } from "../protocol/agent.ts";
import type { Tool, ToolResult } from "../protocol/tool.ts";
import type { AgentRooms, AgentRun, Joined } from "./joined.ts";
import type { OpenAgentSession } from "./session.ts";
import type { EngineOptions } from "./options/options.ts";
import type { Surroundings } from "./surroundings/surroundings.ts";
import { firstFound, candidateNames } from "../knowledge/bare-names.ts";
import { mayWorkInBackground } from "../tools/variables.ts";
import { failureResult } from "../tools/failure.ts";
import { wholeNumber } from "./options/variables.ts";
import { composeTeam } from "./team/compose.ts";
import type { ForkedSkill } from "./knowledge/skill-desk.ts";
import { createAgentTool, type AgentCall } from "./agents/agent-tool.ts";
import { agentDefinitions, findAgent, generalPurpose } from "./agents/definitions.ts";
import { readAgentFacts } from "./agents/agent-facts.ts";
import type { AgentLimits } from "./options/agent-limits.ts";
import { startableTypes, startableBySkills } from "./agents/rights.ts";
import { AgentTree } from "./agents/tree.ts";

const loadRunner = loadOnce(() => import("./agent-runs/run-agent.ts"));

export interface AgentParts {
  rooms: AgentRooms;
  /** The Agent tool and the tools of a team, if wanted. */
  tools: Tool[];
  /** The same tools for a session led by an agent that may not start every type. */
  toolsLedBy(leader: NamedAgent, tools: readonly Tool[]): Tool[];
  /** Has an agent carry out a skill. `definition`: of the agent that starts it; undefined if no agent does. */
  forkSkill: (forked: ForkedSkill, definition: NamedAgent | undefined) => Promise<ToolResult>;
  /** Connects the agents to their session, once it exists. */
  attach(joined: Joined): Promise<void>;
}

export interface AgentPlaces {
  agentRun: AgentRun | undefined;
  open: OpenAgentSession;
  /** Definitions from files. */
  fileDefinitions: readonly NamedAgent[];
}

export function composeAgents(options: EngineOptions, around: Surroundings, places: AgentPlaces): AgentParts {
  const { agentRun, open, fileDefinitions } = places;
  const agents = agentRun?.root.agents ?? new AgentTree(readAgentLimits(options, around.env));
  const agentTypes = agentRun?.root.agentTypes ?? agentDefinitions(fileDefinitions, options.agents);
  let owner: Joined | undefined;
  const team = composeTeam(options, around, { agentRun, open, owner: () => owner });
  const start = async (call: AgentCall): Promise<ToolResult> => {
    if (owner === undefined) return failureResult("The session is not ready.");
    const { name } = call;
    if (name !== undefined) return await team.start({ ...call, name });
    const { runAgent } = await loadRunner();
    return await runAgent(owner, call, open);
  };
  const typeOf = (id: string): string | undefined =>
    owner === undefined ? undefined : readAgentFacts(owner.agentRun?.root ?? owner, id)?.agentType;
  const isLasting = mayWorkInBackground(around.env);
  const toolFor = (starter: NamedAgent | undefined): Tool =>
    createAgentTool(startableTypes(agentTypes, starter), start, typeOf, { hasTeammates: team.hasTeammates, isLasting });
  const tool = toolFor(agentRun?.definition);
  const toolsLedBy = (leader: NamedAgent, tools: readonly Tool[]): Tool[] =>
    tools.map((each) => (each === tool ? toolFor(leader) : each));
  const forkSkill: AgentParts["forkSkill"] = async (forked, definition) => {
    const mayStart = definition === undefined ? agentTypes : startableBySkills(agentTypes, definition);
    const call = createSkillCall(forked, { agentTypes, mayStart }, !isLasting || options.headless === true);
    const problem = "problem" in call ? call.problem : await skillCallProblem(call, owner);
    return "problem" in call || problem !== undefined ? failureResult(problem ?? "") : await start(call);
  };
  const attach = async (joined: Joined): Promise<void> => {
    owner = joined;
    const { mailbox } = team;
    if (mailbox !== undefined) joined.conversation.onMail = (id) => mailbox.markDelivered(id);
    if (agentRun !== undefined) return;
    const running = (): string[] => agents.list().flatMap(({ id, isBackground }) => (isBackground ? [id] : []));
    joined.tools.shared.agents = { running, stop: (id) => agents.stop(id, "model") };
    team.slot.attach(joined);
    await team.resume(joined);
  };
  const isWanted = options.tools === undefined || options.tools.some((name) => name === "Agent" || name === "Task");
  // Agents at the deepest level are not offered the Agent tool; with a depth of 0, neither is the session itself.
  const tools = isWanted && agents.limits.depth > 0 ? [tool, ...team.tools] : team.tools;
  const rooms = { agents, agentTypes, agentNews: [], team: team.slot, mailbox: team.mailbox, waking: new Waking() };
  return { rooms, tools, toolsLedBy, forkSkill, attach };
}

/** An agent started by a skill falls under the same rules as one started by the model. */
async function skillCallProblem(call: AgentCall, owner: Joined | undefined): Promise<string | undefined> {
  if (owner === undefined) return "The session is not ready.";
  const { definition, description, prompt, toolUseId, signal } = call;
  const input = { subagent_type: definition.name, description, prompt };
  const request = { toolName: "Agent", toolUseId, input, isReadOnly: true, subjects: [{ kind: "tool" as const }] };
  const key = `skill.${toolUseId}`;
  const decision = await owner.ports.permission.decide({ ...request, cwd: owner.tools.cwd.get(), key }, signal);
  return decision.behavior === "allow" ? undefined : decision.message;
}

/** An agent for a skill runs in the background, unless nobody would be told of its end or the skill says otherwise. */
function createSkillCall(
  { skill, argument, otherText = "", toolUseId, signal, show }: ForkedSkill,
  { agentTypes, mayStart }: { agentTypes: readonly NamedAgent[]; mayStart: readonly NamedAgent[] },
  isAwaited: boolean,
): AgentCall | { problem: string } {
  const { name, fork = {}, model, effort } = skill;
  const wanted = fork.agent ?? generalPurpose;
  const found = firstFound(candidateNames(skill, wanted), (each) => findAgent(agentTypes, each));
  if (found === undefined)
    return { problem: `The skill ${name} needs the agent ${wanted.slice(0, 80)}, which does not exist.` };
  if (!mayStart.includes(found)) return { problem: notStartableMessage(name, found.name, mayStart) };
  return {
    definition: effort === undefined ? found : { ...found, effort },
    prompt: `The skill ${name}${argument === "" ? "" : ` with ${argument}`}.`,
    skill: { skill, argument, otherText },
    description: name,
    isBackground: fork.background !== false && !isAwaited,
    ...(model === undefined ? {} : { model }),
    toolUseId,
    signal,
    show,
  };
}

function notStartableMessage(skill: string, agentType: string, mayStart: readonly NamedAgent[]): string {
  const names = mayStart.map(({ name }) => name).join(", ");
  const instead = names === "" ? "no agent may be started here" : `only these agents may be started here: ${names}`;
  return `The skill ${skill} needs the agent ${agentType}, and ${instead}.`;
}

function readAgentLimits({ agentLimits }: EngineOptions, env: Surroundings["env"]): Partial<AgentLimits> {
  const depth = wholeNumber(env["CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH"], 0);
  const concurrent = wholeNumber(env["CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS"]);
  return {
    ...withoutUndefined({ depth, concurrent }),
    ...withoutUndefined(agentLimits ?? {}),
  };
}
