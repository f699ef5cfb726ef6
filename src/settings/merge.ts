/** Merges all layers of settings. */
import { withoutUndefined } from "../lib/without-undefined.ts";
import { mergeKnowledge, emptyKnowledge } from "./knowledge-keys.ts";
import { mergeObjects, newObject, type Json } from "../lib/json.ts";
import { efforts } from "../protocol/effort.ts";
import { commandKeys } from "./keys.ts";
import type { SourcedLayer } from "./layer.ts";
import { mergeMcp } from "./mcp.ts";
import { mergeSandbox } from "./sandbox.ts";
import { defaultSettings, type PlainSettings, type Settings } from "./settings.ts";

/** Lists are joined, objects merged, and for everything else the last file that sets it decides. `layers`: lowest first. */
export function mergeLayers(layers: readonly SourcedLayer[], cwd: string): Settings {
  const settings = defaultSettings();
  const catalog = { models: newObject(), aliases: newObject() };
  for (const layer of layers) {
    Object.assign(settings, layer.values as Partial<PlainSettings>);
    Object.assign(settings.env, layer.env);
    const { allow, deny, ask, additionalDirectories, defaultMode } = layer.permissions;
    const { bypassDisabledBy, autoDisabledBy, deniesInsteadOfAsking } = layer.permissions;
    const { blockReadsOutsideWorkingDirectories: reads, blockWritesOutsideWorkingDirectories: writes } =
      layer.permissions;
    const { permissions } = settings;
    // No spread: a file may hold more rules than a call takes arguments.
    for (const rule of allow) permissions.allow.push(rule);
    for (const rule of deny) permissions.deny.push(rule);
    for (const rule of ask) permissions.ask.push(rule);
    for (const folder of additionalDirectories) permissions.additionalDirectories.push(folder);
    permissions.defaultMode = defaultMode ?? permissions.defaultMode;
    // A higher file cannot take back what only forbids.
    permissions.bypassDisabledBy = bypassDisabledBy ?? permissions.bypassDisabledBy;
    permissions.autoDisabledBy = autoDisabledBy ?? permissions.autoDisabledBy;
    permissions.deniesInsteadOfAsking ||= deniesInsteadOfAsking;
    if (reads !== undefined) permissions.blockReadsOutsideWorkingDirectories = reads;
    if (writes !== undefined) permissions.blockWritesOutsideWorkingDirectories = writes;
    mergeKnowledge(settings.knowledge, layer.knowledge);
    settings.projectInstructions = layer.projectInstructions ?? settings.projectInstructions;
    const { name, origin } = layer.source;
    settings.origins[name] = origin;
    if (layer.hooks !== undefined) settings.hooks.push({ value: layer.hooks, origin, source: name });
    mergeMcp(settings.mcp, layer.mcp, origin, { name, folder: cwd });
    catalog.models = mergeObjects(catalog.models, layer.models);
    catalog.aliases = mergeObjects(catalog.aliases, layer.aliases);
  }
  const sandbox = mergeSandbox(layers.map((layer) => ({ origin: layer.source.origin, values: layer.sandbox })));
  if (sandbox !== undefined) settings.sandbox = sandbox;
  settings.permissions.blockReadsExemptPaths = mergeExemptPaths(layers);
  settings.knowledge.administratorsPlugins = administratorsPlugins(layers);
  Object.assign(settings, mergeModelLists(layers));
  // `disableAllHooks` also disables these commands, except an administrator's.
  for (const key of settings.disableAllHooks === true ? commandKeys : []) {
    delete settings[key];
    const own = layers.findLast(({ source, values }) => source.origin === "policy" && values[key] !== undefined);
    if (own !== undefined) Object.assign(settings, { [key]: own.values[key] });
  }
  const effortLimits = layers.flatMap(({ values }) => efforts.filter((level) => level === values["maxEffortLevel"]));
  const [lowestLimit] = efforts.filter((level) => effortLimits.includes(level));
  if (lowestLimit !== undefined) settings.maxEffortLevel = lowestLimit;
  const { fallbackModel } = settings as { fallbackModel?: Json };
  if (fallbackModel !== undefined) settings.fallbackModel = fallbackModelNames(fallbackModel);
  settings.permissions.additionalDirectories = [...new Set(settings.permissions.additionalDirectories)];
  for (const [name, values] of Object.entries(catalog))
    if (Object.keys(values).length > 0) settings.catalog[name] = values;
  return settings;
}

/** The plugins an administrator enables, from the administrator's own marketplaces: anyone else's could serve anything under the name. */
function administratorsPlugins(layers: readonly SourcedLayer[]): string[] {
  const policyKnowledge = emptyKnowledge();
  for (const { source, knowledge } of layers)
    if (source.origin === "policy") mergeKnowledge(policyKnowledge, knowledge);
  const { enabledPlugins, extraKnownMarketplaces } = policyKnowledge;
  const isTheirs = (id: string): boolean => Object.hasOwn(extraKnownMarketplaces, id.split("@")[1] ?? "");
  return Object.keys(enabledPlugins).filter((id) => enabledPlugins[id] === true && isTheirs(id));
}

/** If an administrator blocks reading outside, nobody else can exempt paths. */
function mergeExemptPaths(layers: readonly SourcedLayer[]): string[] {
  const isPolicyLayer = ({ source }: SourcedLayer): boolean => source.origin === "policy";
  const isReadingBlocked = layers.some(
    (layer) => isPolicyLayer(layer) && layer.permissions.blockReadsOutsideWorkingDirectories !== undefined,
  );
  return layers.flatMap((layer) =>
    isReadingBlocked && !isPolicyLayer(layer) ? [] : layer.permissions.blockReadsExemptPaths,
  );
}

/** The lists add up, but an administrator's `availableModels` replaces all others. */
function mergeModelLists(layers: readonly SourcedLayer[]): Pick<PlainSettings, "availableModels" | "deniedModels"> {
  const all = (key: "availableModels" | "deniedModels", from = layers): string[] | undefined => {
    const lists = from.flatMap(({ values }) => (values[key] === undefined ? [] : [values[key] as string[]]));
    return lists.length === 0 ? undefined : [...new Set(lists.flat())];
  };
  const policyModels = all(
    "availableModels",
    layers.filter(({ source }) => source.origin === "policy"),
  );
  const [available, denied] = [policyModels ?? all("availableModels"), all("deniedModels")];
  return withoutUndefined({ availableModels: available, deniedModels: denied });
}

/** A fallback chain is one value: the highest file's is taken whole. */
function fallbackModelNames(value: Json): string[] {
  const list = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
  return list.flatMap((name) => (typeof name === "string" && name.trim() !== "" ? [name.trim()] : []));
}
