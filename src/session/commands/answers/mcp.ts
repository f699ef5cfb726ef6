/** Answers /mcp: the servers and their state, or a reconnect or logout. */
import { oneLine } from "../../../lib/sanitize.ts";
import type { McpServerStatus } from "../../../protocol/mcp.ts";
import { refusal, type CommandAnswer, type CommandDesk } from "../command.ts";

const noServersText = 'No MCP servers are configured. "pawl mcp add" adds one.';
const argumentPattern = /^(?<verb>reconnect|logout)\s+(?<name>\S.*)$/u;

export async function answerMcp(argument: string, desk: CommandDesk): Promise<CommandAnswer> {
  const { desk: sessionDesk, joined } = desk.session();
  if (argument === "") {
    // As a first turn would, waits for the servers, so that their offers are known.
    await joined.mcp.desk?.ready(desk.cancel.signal);
    return serversAnswer(sessionDesk.mcpServers());
  }
  const { verb, name } = argumentPattern.exec(argument.trim())?.groups ?? {};
  if (name === undefined)
    return refusal(`/mcp takes nothing, "reconnect <server>" or "logout <server>", not "${oneLine(argument, 60)}".`);
  const known = sessionDesk.mcpServers();
  if (!known.some((server) => server.name === name))
    return refusal(`There is no MCP server ${oneLine(name, 60)}. ${serverNamesText(known)}`);
  if (verb === "logout") {
    const wasIn = (await joined.mcp.desk?.logOut(name)) === true;
    return { text: `${wasIn ? "Logged out of" : "There was no login to"} ${oneLine(name, 60)}.` };
  }
  const status = await sessionDesk.reconnectMcpServer(name);
  const text = serverLine(status);
  return status.status === "connected" ? { text, data: [status] } : { ...refusal(text), data: [status] };
}

function serversAnswer(servers: readonly McpServerStatus[]): CommandAnswer {
  const text = servers.length === 0 ? noServersText : servers.map(serverLine).join("\n");
  return { text, data: servers };
}

function serverNamesText(servers: readonly McpServerStatus[]): string {
  if (servers.length === 0) return noServersText;
  return `There are: ${servers.map(({ name }) => oneLine(name, 60)).join(", ")}.`;
}

function serverLine({ name, status, scope, error, serverInfo, tools = [] }: McpServerStatus): string {
  const info = serverInfo === undefined ? "" : ` ${oneLine(`${serverInfo.name} ${serverInfo.version}`, 80)},`;
  const count = status === "connected" ? `${info} ${tools.length} ${tools.length === 1 ? "tool" : "tools"}` : "";
  const why = error === undefined ? "" : `: ${oneLine(error, 300)}`;
  return `  ${oneLine(name, 60)} [${status}]${count} (${scope})${why}`;
}
