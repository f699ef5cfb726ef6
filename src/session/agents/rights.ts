/** What an agent may do: never more than its parent. */
import type { AgentDefinition, NamedAgent } from "../../protocol/agent.ts";
import { candidateNames, firstFound } from "../../knowledge/bare-names.ts";
import { plainKey } from "../../lib/plain-key.ts";
import { canonicalTool } from "../../permissions/rules/tool-names.ts";
import { matchesTool } from "../../permissions/rules/tool-pattern.ts";

/** Tools that talk to the person or to the session itself, which agents never get. */
const sessionOnlyTools: ReadonlySet<string> = new Set([
  "AskUserQuestion",
  "EnterPlanMode",
  "ExitPlanMode",
  "EndConversation",
  "StructuredOutput",
]);

/** Filters the parent's tools. `Agent` stays only if agents may be started below; names that the parent lacks are dropped. */
export function agentTools(definition: AgentDefinition, parent: readonly string[], mayStartAgents: boolean): string[] {
  return parent.filter((name) => (mayStartAgents || canonicalTool(name) !== "Agent") && mayUseTool(definition, name));
}

export function mayUseTool(definition: AgentDefinition, name: string): boolean {
  return !sessionOnlyTools.has(canonicalTool(name)) && definitionAllows(definition, name);
}

/** Whether the definition allows the tool. */
export function definitionAllows(definition: AgentDefinition, name: string): boolean {
  const { tools, disallowedTools = [] } = definition;
  const known = canonicalTool(name);
  if (listsTool(disallowedTools, name, known) || matchesStarEntry(disallowedTools, name)) return false;
  if (tools === undefined || tools.includes("*") || listsTool(tools, name, known)) return true;
  if (
    matchesStarEntry(
      tools.filter((each) => /^mcp__[^*]+?__/u.test(each)),
      name,
    )
  )
    return true;
  const server = serverPrefix(name);
  return server !== undefined && requestedServers(definition).some((each) => `mcp__${plainKey(each)}` === server);
}

/** Names of the servers that the definition asks for, whether the session's or its own. */
export function requestedServers({ mcpServers = [] }: AgentDefinition): string[] {
  return mcpServers.flatMap((each) => (typeof each === "string" ? [each] : Object.keys(each)));
}

function listsTool(list: readonly string[], name: string, known: string): boolean {
  const toolNames = new Set(list.map((each) => canonicalTool(each.replace(/\(.*$/su, "").trim())));
  return toolNames.has(known) || matchesServerEntry(name, toolNames);
}

/** Whether an entry with a star matches the name. */
function matchesStarEntry(list: readonly string[], name: string): boolean {
  return list.some((each) => each.includes("*") && matchesTool(each.trim(), name, false));
}

/**
 * The types that `Agent(worker, researcher)` among the tools allows. All, if there is a bare `Agent` or no such entry. In a plugin's agent,
 * a bare name is one of the plugin's own agents if no other has that name.
 */
export function startableTypes(
  types: readonly NamedAgent[],
  definition: Pick<NamedAgent, "name" | "source" | "tools"> | undefined,
): readonly NamedAgent[] {
  if (definition?.tools === undefined) return types;
  const agentTypes = definition.tools.flatMap((each) => {
    const [, name = "", kinds] = /^\s*(\w+)\s*(?:\((.*?)\)?)?\s*$/su.exec(each) ?? [];
    return canonicalTool(name) === "Agent" ? [kinds?.trim() ?? "*"] : [];
  });
  if (agentTypes.length === 0 || agentTypes.some((kinds) => kinds === "*" || kinds === "")) return types;
  const known = new Set(types.map(({ name }) => name.toLowerCase()));
  const nameOf = (kind: string): string =>
    firstFound(candidateNames(definition, kind), (each) => (known.has(each.toLowerCase()) ? each : undefined)) ?? kind;
  const wanted = new Set(
    agentTypes.flatMap((kinds) => kinds.split(",").map((kind) => nameOf(kind.trim()).toLowerCase())),
  );
  return types.filter(({ name }) => wanted.has(name.toLowerCase()));
}

/** The same for agents started by skills, which need no `Agent` among the tools: none if `Agent` is disallowed by name. */
export function startableBySkills(types: readonly NamedAgent[], definition: NamedAgent): readonly NamedAgent[] {
  return listsTool(definition.disallowedTools ?? [], "Agent", "Agent") ? [] : startableTypes(types, definition);
}

/** `mcp__server` and `mcp__server__*` stand for all tools of a server. */
function matchesServerEntry(name: string, entries: ReadonlySet<string>): boolean {
  const server = serverPrefix(name);
  return server !== undefined && (entries.has(server) || entries.has(`${server}__*`));
}

function serverPrefix(name: string): string | undefined {
  return /^(mcp__.+?)__/u.exec(name)?.[1];
}
