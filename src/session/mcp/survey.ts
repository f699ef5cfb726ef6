/** The servers that are configured, each with whether it would start. Starts none, and asks nobody. */
import type { McpScope } from "../../protocol/mcp.ts";
import type { ConfigProblem } from "../../mcp/config.ts";
import { surroundingsWithoutKey } from "../surroundings/read-surroundings.ts";
import type { EngineOptions } from "../options/options.ts";
import { findServers } from "./sources.ts";

export interface ListedServer {
  name: string;
  scope: McpScope;
  /** The file, or the flag; with the line, where something is wrong on it. */
  source: string;
  starts: boolean;
  /** Why not, one clause; null where it does. */
  why: string | null;
}

/** Throws `UsageError` where settings cannot be read. */
export async function listServers(options: EngineOptions): Promise<ListedServer[]> {
  const around = surroundingsWithoutKey(options);
  const found = (await findServers(options, around)) ?? { servers: [], problems: [] };
  const [{ chooseServers }, { readConfigText }] = await Promise.all([
    import("../../mcp/policy.ts"),
    import("../../mcp/config.ts"),
  ]);
  const { servers, idle } = chooseServers(found.servers, around.settings.mcp);
  const { project } = around;
  const untrusted = project === undefined || project.isTrusted ? [] : project.servers;
  return [
    ...servers.map(({ name, scope, source }) => ({ name, scope, source, starts: true, why: null })),
    ...idle.map(({ name, scope, source, why }) => ({ name, scope, source, starts: false, why })),
    ...found.problems.map(failedLine),
    ...untrusted.flatMap(({ name: source, folder, content }) => {
      if (!("text" in content)) return [];
      const read = readConfigText(content.text, { name: source, folder, scope: "project", env: around.env });
      const why = "the folder is not trusted as it is now";
      return [
        ...read.servers.map(({ name, scope }) => ({ name, scope, source, starts: false, why })),
        ...read.problems.map(failedLine),
      ];
    }),
  ];
}

function failedLine({ server = "", scope, source, line, why }: ConfigProblem): ListedServer {
  return { name: server, scope, source: line === undefined ? source : `${source}:${line}`, starts: false, why };
}
