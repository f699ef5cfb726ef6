/** Decides which configured servers may start: what settings forbid or allow, and which of a project's servers they approve. */
import { allowsAddress, matchesStars } from "../lib/address-pattern.ts";
import type { ServerMatcher, SettingsMcp } from "../settings/mcp.ts";
import type { IdleServer, Server } from "./server.ts";

export type ServerPolicy = Pick<SettingsMcp, "enableAll" | "enabled" | "disabled" | "allowed" | "denied">;

export interface ChosenServers {
  servers: Server[];
  idle: IdleServer[];
}

/** @param servers in ascending precedence; of two with one name, the later one wins. */
export function chooseServers(servers: readonly Server[], policy: ServerPolicy): ChosenServers {
  const byName = new Map<string, Server>();
  for (const server of servers) byName.set(server.name, server);
  const chosen: ChosenServers = { servers: [], idle: [] };
  for (const server of byName.values()) {
    const why = reasonNotToStart(server, policy);
    if (why === undefined) chosen.servers.push(server);
    else chosen.idle.push({ name: server.name, scope: server.scope, source: server.source, status: "disabled", why });
  }
  // When two names give the same key, the user's own server keeps the plain one.
  chosen.servers.sort((one, other) => Number(one.scope === "project") - Number(other.scope === "project"));
  return chosen;
}

function reasonNotToStart(server: Server, policy: ServerPolicy): string | undefined {
  if (server.type === "sdk" || server.type === "transport") return undefined;
  if (server.isOff === true) return 'it is switched off where it is configured ("disabled": true)';
  if (policy.denied.some((matcher) => matchesServer(matcher, server))) return "settings forbid it (deniedMcpServers)";
  if (policy.allowed.some((list) => !isAllowed(list, server))) return "settings do not allow it (allowedMcpServers)";
  if (server.scope !== "project") return undefined;
  if (policy.disabled.includes(server.name)) return "settings switch it off (disabledMcpjsonServers)";
  return isApproved(server.name, policy)
    ? undefined
    : "settings do not name it among the project's servers to start (enabledMcpjsonServers)";
}

/** A trusted folder's servers start, unless the user has chosen which. */
function isApproved(name: string, { enableAll, enabled }: ServerPolicy): boolean {
  if (enableAll === true) return true;
  if (enabled !== undefined) return enabled.includes(name);
  return enableAll !== false;
}

/** If a list names commands or addresses, no server of that kind is allowed by name alone, because configurations choose names. */
function isAllowed(list: readonly ServerMatcher[], server: Server): boolean {
  const narrows = (matcher: ServerMatcher): boolean =>
    server.type === "stdio" ? matcher.serverCommand !== undefined : matcher.serverUrl !== undefined;
  const narrow = list.filter(narrows);
  return (narrow.length > 0 ? narrow : list).some((matcher) => matchesServer(matcher, server, allowsAddress));
}

function matchesServer(
  { serverName, serverCommand, serverUrl }: ServerMatcher,
  server: Server,
  matches: (pattern: string, url: string) => boolean = matchesStars,
): boolean {
  if (serverName !== undefined && serverName !== server.name) return false;
  if (serverCommand !== undefined) {
    if (server.type !== "stdio") return false;
    const words = [server.command, ...server.args];
    if (words.length !== serverCommand.length || words.some((word, at) => word !== serverCommand[at])) return false;
  }
  if (serverUrl === undefined) return true;
  return "url" in server && [server.url, new URL(server.url).href].some((form) => matches(serverUrl, form));
}
