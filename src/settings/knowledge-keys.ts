/** Settings about what the model is given to know. They add up over all files: lists are joined, and for each name the last file counts. */
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import { isStringList } from "../lib/is-string-list.ts";
import type { ReportValue } from "./source.ts";

/** `name-only`: listed without its description. `user-invocable-only`: the model may not start it. */
export type SkillOverride = "on" | "name-only" | "user-invocable-only" | "off";

export interface KnowledgeSettings {
  /** Globs that match absolute paths. */
  claudeMdExcludes: string[];
  skillOverrides: Record<string, SkillOverride>;
  /** Keyed by `plugin@marketplace`. */
  enabledPlugins: Record<string, boolean>;
  /** Plugins that an administrator enables from a marketplace of the administrator's; what these bring counts as the administrator's. */
  administratorsPlugins: string[];
  /** By name, unchanged. */
  extraKnownMarketplaces: Record<string, JsonObject>;
  /** The options of `pluginConfigs`, by plugin. Ignored in files that come with a folder. */
  pluginOptions: Record<string, JsonObject>;
}

export function emptyKnowledge(): KnowledgeSettings {
  return {
    claudeMdExcludes: [],
    skillOverrides: Object.create(null) as Record<string, SkillOverride>,
    enabledPlugins: Object.create(null) as Record<string, boolean>,
    administratorsPlugins: [],
    extraKnownMarketplaces: Object.create(null) as Record<string, JsonObject>,
    pluginOptions: Object.create(null) as Record<string, JsonObject>,
  };
}

const skillOverrideValues: readonly SkillOverride[] = ["on", "name-only", "user-invocable-only", "off"];

/** `reportInvalid` is called with each unfit value, which is left out. `isFromFolder`: the settings come with a folder. */
export function readKnowledge(
  object: JsonObject,
  isFromFolder: boolean,
  reportInvalid: ReportValue,
): KnowledgeSettings {
  const read = emptyKnowledge();
  const excludes = object["claudeMdExcludes"];
  if (isStringList(excludes)) read.claudeMdExcludes = excludes;
  else if (excludes !== undefined) reportInvalid("claudeMdExcludes", "a list of globs", excludes);
  for (const [name, value] of entriesOf("skillOverrides", object, reportInvalid)) {
    const known = skillOverrideValues.find((word) => word === value);
    if (known !== undefined) read.skillOverrides[name] = known;
    else reportInvalid(`skillOverrides.${name}`, `one of ${skillOverrideValues.join(", ")}`, value);
  }
  for (const [name, value] of entriesOf("enabledPlugins", object, reportInvalid)) {
    if (typeof value === "boolean") read.enabledPlugins[name] = value;
    else reportInvalid(`enabledPlugins.${name}`, "true or false", value);
  }
  for (const [name, value] of entriesOf("extraKnownMarketplaces", object, reportInvalid)) {
    if (isObject(value)) read.extraKnownMarketplaces[name] = value;
    else reportInvalid(`extraKnownMarketplaces.${name}`, "an object", value);
  }
  if (isFromFolder) return read;
  for (const [name, value] of entriesOf("pluginConfigs", object, reportInvalid)) {
    const options = isObject(value) ? value["options"] : undefined;
    if (isObject(options)) read.pluginOptions[name] = options;
  }
  return read;
}

function entriesOf(key: string, object: JsonObject, reportInvalid: ReportValue): [string, Json][] {
  const value = object[key];
  if (value === undefined) return [];
  if (isObject(value)) return Object.entries(value);
  reportInvalid(key, "an object", value);
  return [];
}

/** Lays `over` over `below`, in place. */
export function mergeKnowledge(below: KnowledgeSettings, over: KnowledgeSettings): void {
  below.claudeMdExcludes = [...below.claudeMdExcludes, ...over.claudeMdExcludes];
  Object.assign(below.skillOverrides, over.skillOverrides);
  Object.assign(below.enabledPlugins, over.enabledPlugins);
  Object.assign(below.extraKnownMarketplaces, over.extraKnownMarketplaces);
  for (const [name, options] of Object.entries(over.pluginOptions))
    below.pluginOptions[name] = { ...below.pluginOptions[name], ...options };
}

/** How many entries the settings have. */
export function countKnowledge(settings: KnowledgeSettings): number {
  const { claudeMdExcludes, skillOverrides, enabledPlugins, extraKnownMarketplaces } = settings;
  const names = [skillOverrides, enabledPlugins, extraKnownMarketplaces].flatMap((each) => Object.keys(each));
  return claudeMdExcludes.length + names.length;
}
