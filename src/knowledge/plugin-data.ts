/** Where a plugin keeps what it makes, and how its texts name its folders. */
import { join } from "node:path";
import type { PluginFolders } from "./skill.ts";

/** A plugin's own, which outlives its versions. */
export function pluginData(id: string, pawlHome: string): string {
  return join(pawlHome, "plugins/data", id.replaceAll(/[^A-Za-z0-9_@-]/gu, "-"));
}

export function folderVariables({ root, data }: PluginFolders): Record<string, string> {
  return { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: data };
}

/** A text of the plugin with its folders in the places it has for them. */
export function withFolders(text: string, folders: PluginFolders): string {
  const variables = folderVariables(folders);
  return text.replaceAll(/\$\{(CLAUDE_PLUGIN_(?:ROOT|DATA))\}/gu, (whole, name: string) => variables[name] ?? whole);
}
