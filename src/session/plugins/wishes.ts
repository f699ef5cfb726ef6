/** The plugins that a session should have. */
import type { PluginSelection } from "../../knowledge/enabled-plugins.ts";
import type { Settings } from "../../settings/settings.ts";
import type { EngineOptions } from "../options/options.ts";

/** Explicitly named folders take precedence over plugins that settings turn on. */
export function pluginWishes(
  { pluginDirs = [], pluginDirsWithoutServers: mute = [] }: EngineOptions,
  { knowledge }: Settings,
): PluginSelection {
  const dirs = [...pluginDirs, ...mute];
  const { enabledPlugins: enabled, extraKnownMarketplaces: marketplaces, pluginOptions: options } = knowledge;
  return { dirs, enabled, marketplaces, options };
}
