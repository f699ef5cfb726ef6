/** Which plugins a session is to have. */
import type { PluginWishes } from "../../knowledge/enabled-plugins.ts";
import type { Settings } from "../../settings/settings.ts";
import type { EngineOptions } from "../options/options.ts";

/** Folders that are named count before those that settings turn on. */
export function pluginWishes(
  { pluginDirs = [], pluginDirsWithoutServers: mute = [] }: EngineOptions,
  { knowledge }: Settings,
): PluginWishes {
  const dirs = [...pluginDirs, ...mute];
  const { enabledPlugins: enabled, extraKnownMarketplaces: marketplaces, pluginOptions: options } = knowledge;
  return { dirs, enabled, marketplaces, options };
}
