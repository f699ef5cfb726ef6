/** Where a plugin stores its data, and how its texts refer to its folders. */
import { join } from "node:path";
import type { PluginFolders, Skill } from "./skill.ts";

/** Returns the plugin's data folder, which is kept across its versions. */
export function pluginDataFolder(id: string, pawlHome: string): string {
  return join(pawlHome, "plugins/data", id.replaceAll(/[^A-Za-z0-9_@-]/gu, "-"));
}

function folderVariables({ root, data }: PluginFolders): Record<string, string> {
  return { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: data };
}

/** The variables that name a skill's own folders. */
export function skillFolderVariables({ folder, plugin }: Pick<Skill, "folder" | "plugin">): Record<string, string> {
  return { CLAUDE_SKILL_DIR: folder, ...(plugin === undefined ? {} : folderVariables(plugin)) };
}

/** Fills in the placeholders for the plugin's folders. */
export function fillFolderVariables(text: string, folders: PluginFolders): string {
  const variables = folderVariables(folders);
  return text.replaceAll(/\$\{(CLAUDE_PLUGIN_(?:ROOT|DATA))\}/gu, (whole, name: string) => variables[name] ?? whole);
}
