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
  if (desk?.serverOfTool(name) === undefined) {
    const { servers } = options.strictMcpConfig === true ? { servers: [] } : await untrustedServers(around);
    return missingServerText(server, desk?.statuses() ?? [], servers);
  }
  await desk.ready(signal);
  const found = desk.serverOfTool(name);
  if (found === undefined || ports.tools.find(name) !== undefined) return undefined;
  if (found.status === "disabled") return `the MCP server ${quoteName(found.name)} is switched off`;
  return found.status === "connected" ? missingToolText(name, server, found) : undefined;
}

type Named = Pick<McpServerStatus, "name">;

function missingServerText(server: string, others: readonly Named[], untrusted: readonly Named[]): string {
  if (untrusted.some(({ name }) => name === server))
    return `the MCP server ${quoteName(server)} does not start, because its folder is not trusted ("pawl trust add", or --trust)`;
  const known = others.length === 0 ? "no server is configured here" : `there is ${listText(others)}`;
  return `there is no MCP server ${quoteName(server)}; ${known}`;
}

function missingToolText(name: string, key: string, { name: server, tools = [] }: McpServerStatus): string {
  const tool = name.slice(`mcp__${key}__`.length);
  if (tools.some((each) => each.name === tool)) return `a rule of this session takes the tool ${quoteName(name)} away`;
  const others = tools.length === 0 ? "it has none" : `it has ${listText(tools)}`;
  return `the MCP server ${quoteName(server)} has no tool ${quoteName(tool)}; ${others}`;
}

function listText(named: readonly Named[]): string {
  const shown = Array.from(named.slice(0, shownNames), ({ name }) => quoteName(name)).join(", ");
  return named.length > shownNames ? `${shown} and ${named.length - shownNames} more` : shown;
}
