/** Reads plugins again while a session runs: what can be replaced is; what runs with the session stays as it was. */
import type { SDKPluginsReloaded } from "../../protocol/sdk-control.ts";
import { agentDefinitions } from "../agents/definitions.ts";
import { builtInSlashCommands } from "../commands/table.ts";
import type { SessionDesk } from "./desk.ts";
import type { Joined } from "../joined.ts";
import { knowledgeOptions } from "../knowledge/knowledge-options.ts";
import { reloadSkills } from "../knowledge/reload-skills.ts";

/** Replaces skills, commands and agent types; hooks, servers and styles stay as they were at the start. */
export async function reloadPlugins(joined: Joined, desk: SessionDesk): Promise<SDKPluginsReloaded> {
  const { options, around, knowledge, agentTypes, skills } = joined;
  const found = await around.machine.knowledge(knowledgeOptions(options, around));
  const before = new Set(agentTypes.map(({ name }) => name));
  const types = agentDefinitions(found.agents, options.agents);
  agentTypes.splice(0, agentTypes.length, ...types);
  const fresh = types.filter(({ name }) => !before.has(name));
  if (fresh.length > 0)
    skills.announce(
      `New kinds of agent: ${fresh
        .map(({ name }) => name)
        .slice(0, 50)
        .join(", ")}.`,
    );
  Object.assign(knowledge, { plugins: found.plugins, problems: found.problems });
  const commands = [...builtInSlashCommands(), ...(await reloadSkills(joined))];
  return {
    commands,
    agents: desk.agents(),
    plugins: desk.plugins(),
    mcpServers: desk.mcpServers(),
    error_count: found.problems.length,
  };
}
