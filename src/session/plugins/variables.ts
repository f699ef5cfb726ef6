/** The variables that the programs of a plugin get in their environment, and as placeholders in their command lines. */
import { pluginDataFolder } from "../../knowledge/plugin-data.ts";
import type { Plugin } from "../../knowledge/plugins.ts";

export function pluginVariables(
  { root, id, options }: Pick<Plugin, "root" | "id" | "options">,
  pawlHome: string,
): Record<string, string> {
  const data = pluginDataFolder(id, pawlHome);
  return {
    CLAUDE_PLUGIN_ROOT: root,
    CLAUDE_PLUGIN_DATA: data,
    PAWL_PLUGIN_ROOT: root,
    PAWL_PLUGIN_DATA: data,
    ...Object.fromEntries(Object.entries(options).map(([key, value]) => [optionVariable(key), value])),
  };
}

/** The variable for a value that the plugin's `userConfig` asks for. */
function optionVariable(key: string): string {
  return `CLAUDE_PLUGIN_OPTION_${key.replaceAll(/[^A-Za-z0-9]/gu, "_").toUpperCase()}`;
}

/** Replaces `${user_config.key}` in command lines by the variable that holds the value, so that the value never becomes shell text. */
export function withOptionVariables(value: unknown): unknown {
  const text = value === undefined ? "" : JSON.stringify(value);
  if (!text.includes("${user_config.")) return value;
  const filledText = text.replaceAll(
    /\$\{user_config\.([\w-]{1,100})\}/gu,
    (_, key: string) => `\${${optionVariable(key)}}`,
  );
  return JSON.parse(filledText) as unknown;
}
