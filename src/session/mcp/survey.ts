/** Lists the configured servers and whether each would start. Starts none, and asks nobody. */
import type { McpScope } from "../../protocol/mcp.ts";
import type { ConfigProblem } from "../../mcp/config.ts";
import { surroundingsWithoutKey } from "../surroundings/read-surroundings.ts";
import type { EngineOptions } from "../options/options.ts";
import { findServers, untrustedServers } from "./sources.ts";

export interface ListedServer {
  name: string;
  scope: McpScope;
  /** The file or flag, with the line if there is a problem on it. */
  source: string;
  starts: boolean;
  /** Why it would not start, as a clause; null if it would. */
  why: string | null;
}

const notTrusted = "the folder is not trusted as it is now";

/** Throws `UsageError` if settings cannot be read. */
export async function listServers(options: EngineOptions): Promise<ListedServer[]> {
  const around = surroundingsWithoutKey(options);
  const found = await findServers(options, around);
  const { chooseServers } = await import("../../mcp/server-policy.ts");
  const { servers, idle } = chooseServers(found.servers, around.settings.mcp);
  const untrusted = await untrustedServers(around);
  return [
    ...servers.map(({ name, scope, source }) => ({ name, scope, source, starts: true, why: null })),
    ...idle.map(({ name, scope, source, why }) => ({ name, scope, source, starts: false, why })),
    ...found.problems.map(failedLine),
    ...untrusted.servers.map(({ name, scope, source }) => ({ name, scope, source, starts: false, why: notTrusted })),
    ...untrusted.problems.map(failedLine),
  ];
}

function failedLine({ server = "", scope, source, line, why }: ConfigProblem): ListedServer {
  return { name: server, scope, source: line === undefined ? source : `${source}:${line}`, starts: false, why };
}
