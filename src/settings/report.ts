/** Reports for people which keys are in force, which file sets them, and which values in files do not count. */
import { isObject, mergeObjects, newObject, type Json, type JsonObject } from "../lib/json.ts";
import { keyRules } from "./keys.ts";
import type { LoadedSettings } from "./load.ts";
import type { SourcedLayer } from "./layer.ts";
import { findDecidingValue, overrulingReason } from "./precedence.ts";
import { sandboxGroups, sandboxKeys } from "./sandbox-keys.ts";
import { sectionKeys } from "./section-keys.ts";
import { isProjectSource, type SettingsOrigin } from "./source.ts";

/** One file's value for a key. */
export interface FileValue {
  scope: SettingsOrigin;
  /** A path, or `--settings`. */
  file: string;
  /** The value as written in the file. */
  value: Json;
  counts: boolean;
  /** The reason, if the value does not count. */
  why?: string;
}

export interface KeyReport {
  /** Such as `model`, `permissions.deny`, `env.NAME`. */
  key: string;
  /** The value in force; undefined if no file's value counts. */
  value: Json | undefined;
  /** Lowest first. */
  sayings: FileValue[];
}

/** Splits a key: `permissions.deny` and `env.NAME` have two steps, as the rest is a single name, except below `sandbox`. */
export function splitKey(key: string): string[] {
  if (key.startsWith("sandbox.")) return key.split(".");
  const dot = key.indexOf(".");
  return dot < 0 ? [key] : [key.slice(0, dot), key.slice(dot + 1)];
}

/** Sets the value at these steps, in an object with the shape of a settings file. */
export function setValueAt(into: JsonObject, [first = "", ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) {
    into[first] = value;
    return;
  }
  const known = into[first];
  const inner = isObject(known) ? known : newObject();
  into[first] = inner;
  setValueAt(inner, rest, value);
}

/** The value at a key. */
export function valueAt(object: JsonObject, key: string): Json | undefined {
  let value: Json | undefined = object;
  for (const step of splitKey(key)) value = isObject(value) ? value[step] : undefined;
  return value;
}

export function reportAllKeys(loaded: LoadedSettings): KeyReport[] {
  return allKeys(loaded).map((key) => reportKey(loaded, key));
}

function allKeys({ layers }: LoadedSettings): string[] {
  return [...new Set(layers.flatMap(({ object }) => supportedKeysIn(object)))].toSorted();
}

/** The keys of an object that this version acts on; map entries one by one. */
function supportedKeysIn(object: JsonObject): string[] {
  const plain = Object.keys(keyRules).filter((key) => object[key] !== undefined);
  const sections = Object.entries(sectionKeys).flatMap(([key, { holds }]) => {
    const value = valueAt(object, key);
    if (value === undefined) return [];
    return holds === "map"
      ? entryKeys(object, key).flatMap((name) => (isGroup(name) ? entryKeys(object, name) : [name]))
      : [key];
  });
  return [...plain, ...sections];
}

function entryKeys(object: JsonObject, key: string): string[] {
  const value = valueAt(object, key);
  return isObject(value) ? Object.keys(value).map((name) => `${key}.${name}`) : [key];
}

/** Whether the key only holds other keys, each of which follows rules of its own. */
function isGroup(key: string): boolean {
  return key === "permissions" || key === "sandbox" || sandboxGroups.some((group) => key === `sandbox.${group}`);
}

/** The values in force of all keys below this one. */
function groupValue(loaded: LoadedSettings, key: string): Json | undefined {
  const value = newObject();
  for (const below of allKeys(loaded).filter((name) => name.startsWith(`${key}.`))) {
    const { value: part } = reportKey(loaded, below);
    if (part === undefined) continue;
    setValueAt(value, splitKey(below).slice(splitKey(key).length), part);
  }
  return Object.keys(value).length === 0 ? undefined : value;
}

export function reportKey(loaded: LoadedSettings, key: string): KeyReport {
  const valueKind = valueKindOf(key);
  const sayings = loaded.layers.flatMap((layer): FileValue[] => {
    const value = valueAt(layer.object, key);
    if (value === undefined) return [];
    const { origin: scope, name: file } = layer.source;
    const why = isKeyAccepted(layer, key)
      ? overrulingReason(loaded, layer.source, key)
      : reasonNotAccepted(loaded, layer, key);
    return [{ scope, file, value, counts: why === undefined, ...(why === undefined ? {} : { why }) }];
  });
  if (isGroup(key)) return { key, value: groupValue(loaded, key), sayings };
  if (valueKind === "one") {
    const counting = sayings.filter((saying) => saying.counts);
    const deciding = findDecidingValue(counting, key);
    for (const saying of counting)
      if (saying !== deciding)
        Object.assign(saying, { counts: false, why: `${deciding?.file ?? "another file"} counts over it` });
    return { key, value: deciding?.value, sayings };
  }
  return { key, value: combineValues(sayings.filter((saying) => saying.counts).map(({ value }) => value)), sayings };
}

function valueKindOf(key: string): "list" | "map" | "one" {
  const section = sectionKeys[key];
  if (section !== undefined) return section.holds;
  if (key.startsWith("sandbox.credentials.")) return "list";
  if (key.startsWith("sandbox.")) return sandboxKeys[key.slice("sandbox.".length)]?.kind.endsWith("s") ? "list" : "one";
  if (key === "availableModels" || key === "deniedModels") return "list";
  return key.startsWith("models.") || key === "modelPricing.overrides" ? "map" : "one";
}

/** Joins lists and merges objects; otherwise the last value counts. */
function combineValues(values: readonly Json[]): Json | undefined {
  if (values.length > 1 && values.every((value) => Array.isArray(value))) return values.flat();
  if (values.length > 1 && values.every(isObject)) return values.reduce(mergeObjects);
  return values.at(-1);
}

function isKeyAccepted(layer: SourcedLayer, key: string): boolean {
  const [first = "", second] = splitKey(key);
  if (Object.hasOwn(keyRules, first)) return layer.values[first] !== undefined;
  switch (first) {
    case "permissions":
      return second === undefined || isPermissionKeyAccepted(layer, second);
    case "env":
      return second === undefined ? Object.keys(layer.env).length > 0 : layer.env[second] !== undefined;
    case "hooks":
      return layer.hooks !== undefined;
    case "models":
    case "aliases":
      return second === undefined ? Object.keys(layer[first]).length > 0 : layer[first][second] !== undefined;
    case "modelPricing":
      return ["multiplier", "overrides", undefined].includes(second) && Object.keys(layer.models).length > 0;
    case "disableAutoMode":
      return layer.permissions.autoDisabledBy !== undefined;
    case "sandbox": {
      const below = key.slice("sandbox.".length);
      return Object.keys(layer.sandbox).some((name) => below === "" || name === below || name.startsWith(`${below}.`));
    }
    case "pluginConfigs":
      if (second === "agents-md@builtin") return layer.projectInstructions !== undefined;
      return hasEntry(layer.knowledge.pluginOptions, second);
    case "claudeMdExcludes":
      return layer.knowledge.claudeMdExcludes.length > 0;
    case "skillOverrides":
    case "enabledPlugins":
    case "extraKnownMarketplaces":
      return hasEntry(layer.knowledge[first], second);
    default:
      return isMcpKeyAccepted(layer, first);
  }
}

function hasEntry(entries: object, name: string | undefined): boolean {
  return name === undefined ? Object.keys(entries).length > 0 : Object.hasOwn(entries, name);
}

function isMcpKeyAccepted({ mcp, object }: SourcedLayer, key: string): boolean {
  if (mcp === undefined || (valueKindOf(key) === "list" && !Array.isArray(object[key]))) return false;
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

function isPermissionKeyAccepted({ permissions, object }: SourcedLayer, key: string): boolean {
  if (key === "disableBypassPermissionsMode") return permissions.bypassDisabledBy !== undefined;
  if (key === "disableAutoMode") return permissions.autoDisabledBy !== undefined;
  if (key === "denyInsteadOfPrompting") return permissions.deniesInsteadOfAsking !== undefined;
  const written = valueAt(object, `permissions.${key}`);
  const value = (permissions as Partial<Record<string, unknown>>)[key];
  // A value that cannot be understood may have put stand-in rules there.
  if (Array.isArray(value)) return Array.isArray(written) && value.length > 0;
  // `false` is valid and forbids nothing.
  return value !== undefined || (written === false && key.startsWith("block"));
}

function reasonNotAccepted(
  { problems, project }: LoadedSettings,
  { source, object }: SourcedLayer,
  key: string,
): string | undefined {
  const reported = problems.find((problem) => {
    if (problem.source !== source.name || problem.key === undefined) return false;
    return problem.key === key || problem.key.startsWith(`${key}[`);
  });
  if (reported !== undefined) return reported.text;
  // An empty list or object has nothing that could fail to count.
  if (isEmptyCollection(valueAt(object, key))) return undefined;
  const isList = sectionKeys[key]?.holds === "list";
  if (!isProjectSource(source)) return isList ? undefined : "this version does not act on it";
  return project?.isTrusted === true ? "a folder's settings cannot say this" : "this folder is not trusted";
}

function isEmptyCollection(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
