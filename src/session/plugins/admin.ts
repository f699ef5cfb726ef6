/** Plugins of the marketplaces on this disk: listed, checked, and turned on and off in settings. Nothing is fetched or run. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { localMarketplacePath } from "../../knowledge/enabled-plugins.ts";
import { installedPlugins } from "../../knowledge/installed-plugins.ts";
import { openMarketplace } from "../../knowledge/plugins.ts";
import { nearestName } from "../../lib/edit-distance.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { KnowledgeProblem } from "../../protocol/knowledge.ts";
import { claudeHome } from "../../settings/paths.ts";
import { NothingToRemove } from "../settings/config-change.ts";
import { openConfigDesk, type ConfigChange } from "../settings/config-desk.ts";
import type { EngineOptions } from "../options/options.ts";
import { loadSettingsFor, settingsPlaces } from "../settings/read-settings.ts";
import { validatePlugins } from "./validate.ts";

export interface ListedPlugin {
  /** `name@marketplace` */
  id: string;
  isOn: boolean;
  /** Absolute; undefined if the plugin would have to be fetched. */
  folder?: string;
}

export interface ListedMarketplace {
  name: string;
  /** Absolute; undefined if the marketplace would have to be fetched. */
  place?: string;
  plugins: ListedPlugin[];
  problems: KnowledgeProblem[];
}

export interface PluginAdmin {
  marketplaces(): ListedMarketplace[];
  /** Returns sentences about what was done, as the next two do. Throws `UsageError` if no known marketplace has the plugin. */
  turn(id: string, isOn: boolean, scope: ConfigChange["scope"]): Promise<string[]>;
  /** `path`: a folder, or the file itself. Throws `UsageError` if it is not a marketplace. */
  addMarketplace(path: string, scope: ConfigChange["scope"]): Promise<string[]>;
  /** Also removes the keys that turn its plugins on in the same file. */
  removeMarketplace(name: string, scope: ConfigChange["scope"]): Promise<string[]>;
  /** Validates the folder of a plugin or a marketplace; undefined: it is neither. */
  validate(path: string): Promise<{ what: string; problems: KnowledgeProblem[] } | undefined>;
}

export function openPluginAdmin(options: EngineOptions): PluginAdmin {
  const places = settingsPlaces(options);
  const { cwd, home } = places;
  const { layers, settings } = loadSettingsFor(options, places);
  const { enabledPlugins, extraKnownMarketplaces } = settings.knowledge;
  const change = (request: ConfigChange): Promise<string[]> => openConfigDesk(options).change(request);
  /** Returns nothing if the plugin is turned on in another file. */
  const withoutPlugin = async (id: string, scope: ConfigChange["scope"]): Promise<string[]> => {
    try {
      return await change({ verb: "remove", key: `enabledPlugins.${id}`, scope });
    } catch (error) {
      if (error instanceof NothingToRemove) return [];
      throw error;
    }
  };
  const fetched = installedPlugins(claudeHome(places.env, home));
  const known = new Set([...Object.keys(extraKnownMarketplaces), ...fetched.marketplaces.keys()]);
  const marketplaces = (): ListedMarketplace[] =>
    Array.from(known, (name) => {
      const own = localMarketplacePath(extraKnownMarketplaces[name], cwd, home);
      const place = own ?? fetched.marketplaces.get(name);
      const { marketplace, problems } = place === undefined ? { problems: [] } : openMarketplace(place);
      const plugins = Array.from(marketplace?.plugins ?? [], ([plugin, inside]): ListedPlugin => {
        const id = `${plugin}@${name}`;
        const folder = (own === undefined ? fetched.plugins.get(id) : undefined) ?? inside;
        return { id, isOn: enabledPlugins[id] === true, ...(folder === undefined ? {} : { folder }) };
      });
      return { name, ...(place === undefined ? {} : { place }), plugins, problems };
    });
  return {
    marketplaces,
    async turn(id, isOn, scope) {
      const known = marketplaces().flatMap(({ plugins }) => plugins);
      const found = known.find((plugin) => plugin.id === id);
      if (isOn && found?.folder === undefined) throw new UsageError(unknownText(id, known));
      return await change({ verb: "set", key: `enabledPlugins.${id}`, value: String(isOn), scope });
    },
    async addMarketplace(path, scope) {
      const place = resolve(cwd, path);
      const { marketplace, problems } = openMarketplace(place);
      if (marketplace === undefined)
        throw new UsageError(`${place} is not a marketplace: ${problems[0]?.reason ?? "it has no name"}.`);
      const kind = statSync(place).isDirectory() ? "directory" : "file";
      const value = JSON.stringify({ source: { source: kind, path: place } });
      return await change({ verb: "set", key: `extraKnownMarketplaces.${marketplace.name}`, value, scope });
    },
    async removeMarketplace(name, scope) {
      // Includes those of an untrusted folder, which do not apply but are in its file.
      const pluginIds = layers.flatMap(({ object }) => Object.keys(Object(object["enabledPlugins"])));
      const messages = await change({ verb: "remove", key: `extraKnownMarketplaces.${name}`, scope });
      for (const id of new Set(pluginIds.filter((each) => each.endsWith(`@${name}`))))
        messages.push(...(await withoutPlugin(id, scope)));
      return messages;
    },
    validate: (path) => validatePlugins(resolve(cwd, path)),
  };
}

function unknownText(id: string, known: readonly ListedPlugin[]): string {
  const names = known.flatMap(({ id: each, folder }) => (folder === undefined ? [] : [each]));
  const near = nearestName(id, names);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return `No marketplace on this disk has the plugin ${id.slice(0, 100)}: "pawl plugin list" shows the available ones.${hint}`;
}
