/** Finds the plugins of a session: folders that were named, and plugins that settings enable from marketplaces on this disk. */
import { resolve } from "node:path";
import { expandHome } from "../lib/home-folder.ts";
import { isRecord } from "../lib/is-record.ts";
import type { KnowledgeProblem } from "../protocol/knowledge.ts";
import { installedPlugins, type InstalledPlugins } from "./installed-plugins.ts";
import { readPluginOptions } from "./plugin-options.ts";
import { openMarketplace, readPlugin, type Marketplace, type MarketplaceEntry, type Plugin } from "./plugins.ts";

export interface PluginSelection {
  /** Absolute. */
  dirs: readonly string[];
  /** By `plugin@marketplace`. */
  enabled: Readonly<Record<string, boolean>>;
  /** By name, as in settings. */
  marketplaces: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Values for plugins' `userConfig`, by `plugin@marketplace`, or by name for a plugin in a named folder. */
  options?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface PluginPlaces {
  cwd: string;
  home: string;
  /** Absent: plugins that another tool fetched into it are ignored. */
  claudeHome?: string;
}

export function findPlugins(
  { dirs, enabled, marketplaces, options: given = {} }: PluginSelection,
  { cwd, home, claudeHome }: PluginPlaces,
): { plugins: Plugin[]; problems: KnowledgeProblem[] } {
  const plugins: Plugin[] = [];
  const problems: KnowledgeProblem[] = [];
  const opened = new Map<string, Marketplace | undefined>();
  let fetched: InstalledPlugins | undefined;
  /** If settings say that a marketplace is on this disk, fetched copies are ignored. */
  const fetchedFor = (market: string): InstalledPlugins | undefined =>
    claudeHome === undefined || localMarketplacePath(marketplaces[market], cwd, home) !== undefined
      ? undefined
      : (fetched ??= installedPlugins(claudeHome));
  const open = (name: string): Marketplace | undefined => {
    if (opened.has(name)) return opened.get(name);
    const place = localMarketplacePath(marketplaces[name], cwd, home) ?? fetchedFor(name)?.marketplaces.get(name);
    const read = place === undefined ? undefined : openMarketplace(place);
    problems.push(...(read?.problems ?? []));
    opened.set(name, read?.marketplace);
    return read?.marketplace;
  };
  const addPlugin = (folder: string, id?: string, entry?: MarketplaceEntry): void => {
    const { plugin, problems: wrong } = readPlugin(folder, entry);
    problems.push(...wrong);
    if (plugin === undefined) {
      // Reported under the id that enabled it, because that is what its user knows.
      const [why] = wrong;
      if (id !== undefined && why !== undefined)
        problems.push({ path: id, reason: `it was left out: ${why.reason} (${why.path})` });
      return;
    }
    const same = plugins.find(({ name }) => name === plugin.name);
    // Named folders deliberately take precedence over plugins from settings.
    if (same !== undefined && same.id !== same.name)
      problems.push({ path: id ?? folder, reason: `it was left out: ${same.id} is called ${plugin.name} too` });
    if (same !== undefined) return;
    const pluginId = id ?? plugin.id;
    const { options, missing } = readPluginOptions(plugin.userConfig, given[pluginId]);
    for (const key of missing)
      problems.push({
        path: folder,
        reason: `it needs the option ${key}: set pluginConfigs["${pluginId}"].options.${key} in your own settings`,
      });
    const isFetched = id !== undefined && fetchedFor(marketOf(id)) !== undefined;
    plugins.push({ ...plugin, id: pluginId, options, ...(isFetched ? { isFetched } : {}) });
  };
  for (const folder of dirs) addPlugin(folder);
  for (const [id, isOn] of Object.entries(enabled)) {
    if (!isOn) continue;
    const [name = ""] = id.split("@");
    const market = marketOf(id);
    const marketplace = open(market);
    const folder = fetchedFor(market)?.plugins.get(id) ?? marketplace?.plugins.get(name);
    // The folder of a fetched copy is named by its version.
    const entry = marketplace?.entries.get(name) ?? { name, path: id, fields: { name } };
    if (folder !== undefined) addPlugin(folder, id, entry);
    else problems.push({ path: id, reason: "no marketplace on this disk has it; others are not fetched" });
  }
  return { plugins, problems };
}

/** Returns the marketplace of `plugin@marketplace`. */
export function marketOf(id: string): string {
  return id.split("@")[1] ?? "";
}

/** Returns the path of a marketplace on this disk; undefined if it would have to be fetched. */
export function localMarketplacePath(
  entry: Readonly<Record<string, unknown>> | undefined,
  cwd: string,
  home: string,
): string | undefined {
  const source = entry?.["source"];
  if (!isRecord(source)) return undefined;
  const { source: kind, path } = source;
  if ((kind !== "directory" && kind !== "file") || typeof path !== "string") return undefined;
  return resolve(cwd, expandHome(path, home));
}
