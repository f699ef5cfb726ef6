/** What the programs of a plugin find of it in their environment, and as placeholders in what starts them. */
import { join } from "node:path";
import type { Plugin } from "../../knowledge/plugins.ts";

export function pluginVariables({ root, id }: Pick<Plugin, "root" | "id">, pawlHome: string): Record<string, string> {
  const data = pluginData(id, pawlHome);
  return {
    CLAUDE_PLUGIN_ROOT: root,
    CLAUDE_PLUGIN_DATA: data,
    PAWL_PLUGIN_ROOT: root,
    PAWL_PLUGIN_DATA: data,
  };
}

/** A plugin's own, which outlives its versions. */
export function pluginData(id: string, pawlHome: string): string {
  return join(pawlHome, "plugins/data", id.replaceAll(/[^A-Za-z0-9_@-]/gu, "-"));
}
