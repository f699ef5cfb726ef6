/** Whether the tool that answers permission questions is there, told before the first prompt instead of with the first question. */
import { quoteName } from "../../lib/quote-name.ts";
import type { McpServerStatus } from "../../protocol/mcp.ts";
import type { Joined } from "../joined.ts";
import { untrustedServers } from "../mcp/sources.ts";

const shownNames = 20;

/** One clause; undefined if the tool is there, or may come: its server is not connected yet, or will be tried again. */
export async function promptToolProblem(
  { options, around, mcp, ports }: Pick<Joined, "options" | "around" | "mcp" | "ports">,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { permissionPromptToolName: name, ask } = options;
  if (name === undefined || ask !== undefined || ports.tools.find(name) !== undefined) return undefined;
  const [, server] = /^mcp__(.+?)__./su.exec(name) ?? [];
  if (server === undefined) return `there is no tool ${quoteName(name)}; a tool of an MCP server is mcp__server__tool`;
  const { desk } = mcp;
  if (desk?.serverOfTool(name) === undefined) return await missingServerText(server, desk?.statuses() ?? [], around);
  await desk.ready(signal);
  const found = desk.serverOfTool(name);
  if (found === undefined || ports.tools.find(name) !== undefined) return undefined;
  if (found.status === "disabled") return `the MCP server ${quoteName(found.name)} is switched off`;
  return found.status === "connected" ? missingToolText(name, server, found) : undefined;
}

async function missingServerText(
  server: string,
  statuses: readonly McpServerStatus[],
  around: Joined["around"],
): Promise<string> {
  const { servers: untrusted } = await untrustedServers(around);
  if (untrusted.some(({ name }) => name === server))
    return `the MCP server ${quoteName(server)} does not start, because its folder is not trusted ("pawl trust add", or --trust)`;
  const others = statuses.map(({ name }) => name);
  return `there is no MCP server ${quoteName(server)}; ${others.length === 0 ? "no server is configured here" : `there is ${listText(others)}`}`;
}

function missingToolText(name: string, key: string, { name: server, tools = [] }: McpServerStatus): string {
  const names = tools.map((tool) => tool.name);
  const tool = name.slice(`mcp__${key}__`.length);
  if (names.includes(tool)) return `a rule of this session takes the tool ${quoteName(name)} away`;
  const others = names.length === 0 ? "it has none" : `it has ${listText(names)}`;
  return `the MCP server ${quoteName(server)} has no tool ${quoteName(tool)}; ${others}`;
}

function listText(names: readonly string[]): string {
  const shown = names.slice(0, shownNames).map(quoteName).join(", ");
  return names.length > shownNames ? `${shown} and ${names.length - shownNames} more` : shown;
}
