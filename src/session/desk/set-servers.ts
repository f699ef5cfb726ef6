/** MCP servers that the host names while the session runs. */
import { errorText } from "../../lib/error-text.ts";
import type { HostServer } from "../../mcp/hub.ts";
import type { McpServerConfig } from "../../protocol/mcp.ts";
import type { SDKMcpServersSet } from "../../protocol/sdk-control.ts";
import type { Joined } from "../joined.ts";
import { readHostServer } from "../mcp/sources.ts";

/** Each server is handled by itself: an invalid one does not keep the others from being used. */
export async function setMcpServers(
  { mcp, around }: Joined,
  configs: Record<string, McpServerConfig>,
): Promise<SDKMcpServersSet> {
  const [{ problemText }, { chooseServers }] = await Promise.all([
    import("../../mcp/config.ts"),
    import("../../mcp/server-policy.ts"),
  ]);
  const errors = Object.create(null) as Record<string, string>;
  const wanted: HostServer[] = [];
  for (const [name, config] of Object.entries(configs)) {
    try {
      const { servers, problems } = await readHostServer(name, config, around);
      const { servers: admitted, idle } = chooseServers(servers, around.settings.mcp);
      for (const server of admitted) wanted.push({ server, identity: serverIdentity(config) });
      const why = idle[0]?.why ?? (problems[0] === undefined ? undefined : problemText(problems[0]));
      if (why !== undefined) errors[name] = why;
    } catch (error) {
      errors[name] = errorText(error);
    }
  }
  if (wanted.length === 0 && mcp.desk === undefined) return { added: [], removed: [], errors: { ...errors } };
  const set = await (await mcp.open()).setHostServers(wanted);
  return { ...set, errors: { ...errors, ...set.errors } };
}

/** Returns what identifies a server: for one of the host's own, the object; for any other, its text. */
function serverIdentity(config: McpServerConfig): unknown {
  if (config.type === "sdk") return config.instance;
  return config.type === "transport" ? config : JSON.stringify(config);
}
