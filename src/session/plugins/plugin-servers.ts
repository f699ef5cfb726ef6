/** The servers of plugins, named after their plugin so that none replaces another. Loaded only if there is a plugin. */
import { findPlugins, type PluginSelection } from "../../knowledge/enabled-plugins.ts";
import type * as ConfigRoom from "../../mcp/config.ts";
import type { ReadConfig } from "../../mcp/config.ts";
import { isRecord } from "../../lib/is-record.ts";
import { claudeHome } from "../../settings/paths.ts";
import { pluginVariables, withOptionVariables } from "./variables.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export function pluginServers(
  wishes: PluginSelection,
  { cwd, home, pawlHome, env }: Surroundings,
  readServers: typeof ConfigRoom.readServers,
): ReadConfig {
  const found: ReadConfig = { servers: [], problems: [] };
  for (const plugin of findPlugins(wishes, { cwd, home, claudeHome: claudeHome(env, home) }).plugins) {
    const variables = pluginVariables(plugin, pawlHome);
    for (const { value, source } of plugin.servers) {
      const read = readServers(withOptionVariables(unwrapServers(value)), {
        name: source,
        scope: "user",
        folder: cwd,
        cwdFrom: plugin.root,
        env: { ...env, CLAUDE_PROJECT_DIR: cwd, ...variables },
      });
      for (const server of read.servers) {
        const own = { name: `plugin:${plugin.name}:${server.name}`, providedBy: "plugin" as const };
        found.servers.push(
          server.type === "stdio" ? { ...server, ...own, env: { ...variables, ...server.env } } : { ...server, ...own },
        );
      }
      found.problems.push(...read.problems);
    }
  }
  return found;
}

/** A plugin's part may hold its servers as they are, or as `mcpServers`. */
export function unwrapServers(value: unknown): unknown {
  return isRecord(value) && value["mcpServers"] !== undefined ? value["mcpServers"] : value;
}
