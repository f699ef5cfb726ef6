/** For people: which keys are in force, which file says so, and what stands in a file without counting. */
import { isObject, newObject, type Json, type JsonObject } from "../lib/json.ts";
import { keyRules } from "./keys.ts";
import type { LoadedSettings, SourcedLayer } from "./load.ts";
import { sandboxKeys } from "./sandbox-keys.ts";
import { sectionKeys } from "./sections.ts";
import type { SettingsOrigin } from "./source.ts";

/** One file's say on a key. */
export interface Saying {
  scope: SettingsOrigin;
  /** A path, or `--settings`. */
  file: string;
  /** As it stands there. */
  value: Json;
  counts: boolean;
  /** Where it does not count. */
  why?: string;
}

export interface KeyReport {
  /** Such as `model`, `permissions.deny`, `env.NAME`. */
  key: string;
  /** In force; undefined where no file's counts. */
  value: Json | undefined;
  /** Lowest first. */
  sayings: Saying[];
}

/** `permissions.deny` and `env.NAME` are two steps: what follows the first dot is a name of its own, but below `sandbox`. */
export function stepsOf(key: string): string[] {
  if (key.startsWith("sandbox.")) return key.split(".");
  const dot = key.indexOf(".");
  return dot < 0 ? [key] : [key.slice(0, dot), key.slice(dot + 1)];
}

/** What stands at a key. */
export function valueAt(object: JsonObject, key: string): Json | undefined {
  let value: Json | undefined = object;
  for (const step of stepsOf(key)) value = isObject(value) ? value[step] : undefined;
  return value;
}

export function reportAll(loaded: LoadedSettings): KeyReport[] {
  const keys = new Set(loaded.layers.flatMap(({ object }) => keysIn(object)));
  return [...keys].toSorted().map((key) => reportOf(loaded, key));
}

/** Of one that is acted on; entries of maps one by one. */
function keysIn(object: JsonObject): string[] {
  const plain = Object.keys(keyRules).filter((key) => object[key] !== undefined);
  const sections = Object.entries(sectionKeys).flatMap(([key, { holds }]) => {
    const value = valueAt(object, key);
    if (value === undefined) return [];
    return holds === "map" && isObject(value) ? Object.keys(value).map((name) => `${key}.${name}`) : [key];
  });
  return [...plain, ...sections];
}

export function reportOf(loaded: LoadedSettings, key: string): KeyReport {
  const holds = holdsOf(key);
  const sayings = loaded.layers.flatMap((layer): Saying[] => {
    const value = valueAt(layer.object, key);
    if (value === undefined) return [];
    const { origin: scope, name: file } = layer.source;
    const why = counts(layer, key) ? undefined : reasonOf(loaded, layer, key);
    return [{ scope, file, value, counts: why === undefined, ...(why === undefined ? {} : { why }) }];
  });
  const last = sayings.findLast((saying) => saying.counts);
  if (holds === "one") {
    for (const saying of sayings)
      if (saying.counts && saying !== last)
        Object.assign(saying, { counts: false, why: `${last?.file ?? "another file"} counts over it` });
    return { key, value: last?.value, sayings };
  }
  return { key, value: together(sayings.filter((saying) => saying.counts).map(({ value }) => value)), sayings };
}

function holdsOf(key: string): "list" | "map" | "one" {
  const section = sectionKeys[key];
  if (section !== undefined) return section.holds;
  if (key.startsWith("sandbox.")) return sandboxKeys[key.slice("sandbox.".length)]?.kind.endsWith("s") ? "list" : "one";
  return key.startsWith("models.") || key === "permissions" ? "map" : "one";
}

/** Lists add up, and objects merge at their first level. */
function together(values: readonly Json[]): Json | undefined {
  const [first] = values;
  if (first === undefined) return undefined;
  if (values.every((value) => Array.isArray(value))) return values.flat();
  if (values.every(isObject)) return Object.assign(newObject(), ...values) as JsonObject;
  return values.at(-1);
}

function counts(layer: SourcedLayer, key: string): boolean {
  const [first = "", second] = stepsOf(key);
  if (Object.hasOwn(keyRules, first)) return layer.values[first] !== undefined;
  switch (first) {
    case "permissions":
      return second === undefined || countsAmongPermissions(layer, second);
    case "env":
      return second === undefined ? Object.keys(layer.env).length > 0 : layer.env[second] !== undefined;
    case "hooks":
      return layer.hooks !== undefined;
    case "models":
    case "aliases":
      return second === undefined ? Object.keys(layer[first]).length > 0 : layer[first][second] !== undefined;
    case "modelPricing":
      return (
        second !== undefined && ["multiplier", "overrides"].includes(second) && Object.keys(layer.models).length > 0
      );
    case "disableAutoMode":
      return layer.permissions.autoDisabledBy !== undefined;
    case "sandbox": {
      const below = key.slice("sandbox.".length);
      return Object.keys(layer.sandbox).some((name) => below === "" || name === below || name.startsWith(`${below}.`));
    }
    case "pluginConfigs":
      if (second === "agents-md@builtin") return layer.projectInstructions !== undefined;
      return isAmong(layer.knowledge.pluginOptions, second);
    case "claudeMdExcludes":
      return layer.knowledge.claudeMdExcludes.length > 0;
    case "skillOverrides":
    case "enabledPlugins":
    case "extraKnownMarketplaces":
      return isAmong(layer.knowledge[first], second);
    default:
      return countsAmongServers(layer, first);
  }
}

function isAmong(entries: object, name: string | undefined): boolean {
  return name === undefined ? Object.keys(entries).length > 0 : Object.hasOwn(entries, name);
}

function countsAmongServers({ mcp }: SourcedLayer, key: string): boolean {
  if (mcp === undefined) return false;
  switch (key) {
    case "mcpServers":
      return mcp.servers !== undefined;
    case "enableAllProjectMcpServers":
      return mcp.enableAll !== undefined;
    case "enabledMcpjsonServers":
      return mcp.enabled !== undefined;
    case "disabledMcpjsonServers":
      return mcp.disabled.length > 0;
    case "allowedMcpServers":
      return mcp.allowed !== undefined;
    case "deniedMcpServers":
      return mcp.denied.length > 0;
    default:
      return false;
  }
}

function countsAmongPermissions({ permissions }: SourcedLayer, key: string): boolean {
  if (key === "disableBypassPermissionsMode") return permissions.bypassDisabledBy !== undefined;
  if (key === "disableAutoMode") return permissions.autoDisabledBy !== undefined;
  if (key === "denyInsteadOfPrompting") return permissions.deniesInsteadOfAsking !== undefined;
  const value = (permissions as Partial<Record<string, unknown>>)[key];
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}

function reasonOf({ problems, project }: LoadedSettings, { source }: SourcedLayer, key: string): string | undefined {
  const told = problems.find((problem) => {
    if (problem.source !== source.name || problem.key === undefined) return false;
    return problem.key === key || problem.key.startsWith(`${key}[`);
  });
  if (told !== undefined) return told.text;
  const isFolders = source.origin === "project" || source.origin === "local";
  if (!isFolders) return sectionKeys[key]?.holds === "list" ? undefined : "this version does not act on it";
  return project?.isTrusted === true ? "a folder's settings cannot say this" : "this folder is not trusted";
}
