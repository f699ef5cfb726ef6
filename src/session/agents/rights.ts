/** What an agent may do: never more than whoever started it. */
import type { AgentDefinition, NamedAgent } from "../../protocol/agent.ts";
import { plainKey } from "../../lib/plain-key.ts";
import { canonicalTool } from "../../permissions/rules/tool-names.ts";
import { matchesTool } from "../../permissions/rules/tool-pattern.ts";

/** Tools that talk to the person or to the session itself, which agents never get. */
const neverGiven: ReadonlySet<string> = new Set([
  "AskUserQuestion",
  "EnterPlanMode",
  "ExitPlanMode",
  "EndConversation",
  "StructuredOutput",
]);

/** Filters the parent's tools. `Agent` stays only if agents may be started below; names that the parent lacks are dropped. */
export function toolsOf(definition: AgentDefinition, parent: readonly string[], mayStartAgents: boolean): string[] {
  return parent.filter((name) => (mayStartAgents || canonicalTool(name) !== "Agent") && mayHave(definition, name));
}

export function mayHave(definition: AgentDefinition, name: string): boolean {
  return !neverGiven.has(canonicalTool(name)) && grants(definition, name);
}

/** Whether the definition allows the tool. */
export function grants(definition: AgentDefinition, name: string): boolean {
  const { tools, disallowedTools = [] } = definition;
  const known = canonicalTool(name);
  if (namesTool(disallowedTools, name, known) || isMeant(disallowedTools, name)) return false;
  if (tools === undefined || tools.includes("*") || namesTool(tools, name, known)) return true;
  if (
    isMeant(
      tools.filter((each) => /^mcp__[^*]+?__/u.test(each)),
      name,
    )
  )
    return true;
  const server = serverOf(name);
  return server !== undefined && serversOf(definition).some((each) => `mcp__${plainKey(each)}` === server);
}

/** Names of the servers that the definition asks for, whether the session's or its own. */
export function serversOf({ mcpServers = [] }: AgentDefinition): string[] {
  return mcpServers.flatMap((each) => (typeof each === "string" ? [each] : Object.keys(each)));
}

function namesTool(list: readonly string[], name: string, known: string): boolean {
  const named = new Set(list.map((each) => canonicalTool(each.replace(/\(.*$/su, "").trim())));
  return named.has(known) || isServersTool(name, named);
}

/** Whether an entry with a star matches the name. */
function isMeant(list: readonly string[], name: string): boolean {
  return list.some((each) => each.includes("*") && matchesTool(each.trim(), name, false));
}

/** The types that `Agent(worker, researcher)` among the tools allows. All, if there is a bare `Agent` or no such entry. */
export function startable(types: readonly NamedAgent[], tools: readonly string[] = []): readonly NamedAgent[] {
  const named = tools.flatMap((each) => {
    const [, name = "", kinds] = /^\s*(\w+)\s*(?:\((.*?)\)?)?\s*$/su.exec(each) ?? [];
    return canonicalTool(name) === "Agent" ? [kinds?.trim() ?? "*"] : [];
  });
  if (named.length === 0 || named.some((kinds) => kinds === "*" || kinds === "")) return types;
  const wanted = new Set(named.flatMap((kinds) => kinds.split(",").map((kind) => kind.trim().toLowerCase())));
  return types.filter(({ name }) => wanted.has(name.toLowerCase()));
}

/** The same for agents started by skills, which need no `Agent` among the tools: none if `Agent` is disallowed by name. */
export function startableBySkills(
  types: readonly NamedAgent[],
  { tools, disallowedTools = [] }: Pick<AgentDefinition, "tools" | "disallowedTools">,
): readonly NamedAgent[] {
  return namesTool(disallowedTools, "Agent", "Agent") ? [] : startable(types, tools);
}

/** `mcp__server` and `mcp__server__*` stand for all tools of a server. */
function isServersTool(name: string, wanted: ReadonlySet<string>): boolean {
  const server = serverOf(name);
  return server !== undefined && (wanted.has(server) || wanted.has(`${server}__*`));
}

function serverOf(name: string): string | undefined {
  return /^(mcp__.+?)__/u.exec(name)?.[1];
}
