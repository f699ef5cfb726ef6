/** What the programs of a plugin find of it in their environment, and as placeholders in what starts them. */
import { pluginData } from "../../knowledge/plugin-data.ts";
import type { Plugin } from "../../knowledge/plugins.ts";

export function pluginVariables(
  { root, id, options }: Pick<Plugin, "root" | "id" | "options">,
  pawlHome: string,
): Record<string, string> {
  const data = pluginData(id, pawlHome);
  return {
    CLAUDE_PLUGIN_ROOT: root,
    CLAUDE_PLUGIN_DATA: data,
    PAWL_PLUGIN_ROOT: root,
    PAWL_PLUGIN_DATA: data,
    ...Object.fromEntries(Object.entries(options).map(([key, value]) => [optionVariable(key), value])),
  };
}

/** Of what its `userConfig` asks for. */
function optionVariable(key: string): string {
  return `CLAUDE_PLUGIN_OPTION_${key.replaceAll(/[^A-Za-z0-9]/gu, "_").toUpperCase()}`;
}

/** `${user_config.key}` in what starts a program of a plugin is the variable that holds it: its value is never text of a shell. */
export function withOptionVariables(value: unknown): unknown {
  const text = value === undefined ? "" : JSON.stringify(value);
  if (!text.includes("${user_config.")) return value;
  const named = text.replaceAll(
    /\$\{user_config\.([\w-]{1,100})\}/gu,
    (_, key: string) => `\${${optionVariable(key)}}`,
  );
  return JSON.parse(named) as unknown;
}
