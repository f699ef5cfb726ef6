/** The plugin files that steer a session: those that start programs, and those that define skills, commands, agents and styles. */
import { join, resolve } from "node:path";
import { findPlugins, marketOf, localMarketplacePath } from "../../knowledge/enabled-plugins.ts";
import type { Plugin } from "../../knowledge/plugins.ts";
import { isFolder } from "../../lib/path-status.ts";
import type { SteeringFile } from "../../permissions/paths/steering-files.ts";
import type { EngineOptions } from "../options/options.ts";
import { pluginWishes } from "../plugins/wishes.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

type Around = Pick<Surroundings, "cwd" | "home" | "settings">;

/** Plugins fetched into the user's own folder are not listed: that folder is protected by its name. */
export function pluginFiles(options: EngineOptions, { cwd, home, settings }: Around): SteeringFile[] {
  const wishes = pluginWishes(options, settings);
  const dirs = wishes.dirs.map((folder) => resolve(cwd, folder));
  const { plugins } = findPlugins({ ...wishes, dirs }, { cwd, home });
  const markets = Object.entries(wishes.enabled).flatMap(([id, isOn]) =>
    isOn ? (localMarketplacePath(wishes.marketplaces[marketOf(id)], cwd, home) ?? []) : [],
  );
  // A plugin with a broken manifest may be repaired, so its folder counts as well.
  const roots = new Set([...dirs, ...plugins.map(({ root }) => root)]);
  const starting = new Set([
    ...markets.map((place) => (isFolder(place) ? join(place, ".claude-plugin/marketplace.json") : place)),
    ...Array.from(roots, (root) => [join(root, ".claude-plugin/plugin.json"), join(root, "hooks/hooks.json")]).flat(),
    ...plugins.flatMap(({ hooks, servers }) => [...hooks, ...servers].map(({ source }) => source)),
  ]);
  const telling = new Set([...Array.from(roots, defaultPlaces), ...plugins.map(placesOf)].flat());
  return [
    ...Array.from(starting, (path): SteeringFile => ({ path, level: "never", name: nameOf(path) })),
    ...Array.from(telling, (path): SteeringFile => ({
      path,
      level: "guarded",
      name: nameOf(path),
      isGivenToModel: true,
    })),
  ];
}

function nameOf(path: string): string {
  return `${path}, which a plugin brings,`;
}

function defaultPlaces(root: string): string[] {
  return ["skills", "commands", "agents", "output-styles"].map((name) => join(root, name));
}

function placesOf({ skills, commands, agents, styles }: Plugin): string[] {
  return [...skills, ...commands, ...agents, ...styles];
}
