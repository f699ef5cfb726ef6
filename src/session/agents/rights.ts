/** What an agent may: never more than whoever started it. */
import type { AgentDefinition } from "../../protocol/agent.ts";
import { plainKey } from "../../lib/plain-key.ts";
import { canonicalTool } from "../../permissions/rule.ts";

/** Talk with the person, and with the session itself, is not for those who work for it. */
const neverGiven: ReadonlySet<string> = new Set([
  "AskUserQuestion",
  "EnterPlanMode",
  "ExitPlanMode",
  "EndConversation",
  "StructuredOutput",
]);

/** Of the names its parent has. `Agent` where there is room below; what the definition names and the parent does not have is left out. */
export function toolsOf(definition: AgentDefinition, parent: readonly string[], mayStartAgents: boolean): string[] {
  return parent.filter((name) => (mayStartAgents || canonicalTool(name) !== "Agent") && mayHave(definition, name));
}

export function mayHave(definition: AgentDefinition, name: string): boolean {
  return !neverGiven.has(canonicalTool(name)) && grants(definition, name);
}

/** By what its definition says of tools. */
export function grants(definition: AgentDefinition, name: string): boolean {
  const { tools, disallowedTools = [] } = definition;
  const known = canonicalTool(name);
  if (namesTool(disallowedTools, name, known)) return false;
  if (tools === undefined || tools.includes("*") || namesTool(tools, name, known)) return true;
  const server = serverOf(name);
  return server !== undefined && serversOf(definition).some((each) => `mcp__${plainKey(each)}` === server);
}

/** Names of servers that its definition asks for, be they the session's or its own. */
export function serversOf({ mcpServers = [] }: AgentDefinition): string[] {
  return mcpServers.flatMap((each) => (typeof each === "string" ? [each] : Object.keys(each)));
}

function namesTool(list: readonly string[], name: string, known: string): boolean {
  const named = new Set(list.map((each) => canonicalTool(each.replace(/\(.*$/su, "").trim())));
  return named.has(known) || isServersTool(name, named);
}

/** `mcp__server` and `mcp__server__*` stand for all tools of a server. */
function isServersTool(name: string, wanted: ReadonlySet<string>): boolean {
  const server = serverOf(name);
  return server !== undefined && (wanted.has(server) || wanted.has(`${server}__*`));
}

function serverOf(name: string): string | undefined {
  return /^(mcp__.+?)__/u.exec(name)?.[1];
}
