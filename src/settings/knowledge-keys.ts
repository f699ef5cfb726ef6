/** Settings about what the model is given to know. They add up over all files: lists are joined, and for each name the last file counts. */
import { isObject, type Json, type JsonObject } from "../lib/json.ts";

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

export function noKnowledge(): KnowledgeSettings {
  return {
    claudeMdExcludes: [],
    skillOverrides: Object.create(null) as Record<string, SkillOverride>,
    enabledPlugins: Object.create(null) as Record<string, boolean>,
    administratorsPlugins: [],
    extraKnownMarketplaces: Object.create(null) as Record<string, JsonObject>,
    pluginOptions: Object.create(null) as Record<string, JsonObject>,
  };
}

const overrides: readonly SkillOverride[] = ["on", "name-only", "user-invocable-only", "off"];

/** `wrong` is called with each unfit value, which is left out. `isFolders`: the settings come with a folder. */
export function readKnowledge(
  object: JsonObject,
  isFolders: boolean,
  wrong: (key: string, expected: string, value: Json) => void,
): KnowledgeSettings {
  const read = noKnowledge();
  const excludes = object["claudeMdExcludes"];
  if (Array.isArray(excludes) && excludes.every((each) => typeof each === "string")) read.claudeMdExcludes = excludes;
  else if (excludes !== undefined) wrong("claudeMdExcludes", "a list of globs", excludes);
  for (const [name, value] of entriesOf("skillOverrides", object, wrong)) {
    const known = overrides.find((word) => word === value);
    if (known !== undefined) read.skillOverrides[name] = known;
    else wrong(`skillOverrides.${name}`, `one of ${overrides.join(", ")}`, value);
  }
  for (const [name, value] of entriesOf("enabledPlugins", object, wrong)) {
    if (typeof value === "boolean") read.enabledPlugins[name] = value;
    else wrong(`enabledPlugins.${name}`, "true or false", value);
  }
  for (const [name, value] of entriesOf("extraKnownMarketplaces", object, wrong)) {
    if (isObject(value)) read.extraKnownMarketplaces[name] = value;
    else wrong(`extraKnownMarketplaces.${name}`, "an object", value);
  }
  if (isFolders) return read;
  for (const [name, value] of entriesOf("pluginConfigs", object, wrong)) {
    const options = isObject(value) ? value["options"] : undefined;
    if (isObject(options)) read.pluginOptions[name] = options;
  }
  return read;
}

function entriesOf(
  key: string,
  object: JsonObject,
  wrong: (key: string, expected: string, value: Json) => void,
): [string, Json][] {
  const value = object[key];
  if (value === undefined) return [];
  if (isObject(value)) return Object.entries(value);
  wrong(key, "an object", value);
  return [];
}

/** Lays `over` over `below`, in place. */
export function addKnowledge(below: KnowledgeSettings, over: KnowledgeSettings): void {
  below.claudeMdExcludes = [...below.claudeMdExcludes, ...over.claudeMdExcludes];
  Object.assign(below.skillOverrides, over.skillOverrides);
  Object.assign(below.enabledPlugins, over.enabledPlugins);
  Object.assign(below.extraKnownMarketplaces, over.extraKnownMarketplaces);
  for (const [name, options] of Object.entries(over.pluginOptions))
    below.pluginOptions[name] = { ...below.pluginOptions[name], ...options };
}

/** How many entries the settings have. */
export function knowledgeCount(settings: KnowledgeSettings): number {
  const { claudeMdExcludes, skillOverrides, enabledPlugins, extraKnownMarketplaces } = settings;
  const named = [skillOverrides, enabledPlugins, extraKnownMarketplaces].flatMap((each) => Object.keys(each));
  return claudeMdExcludes.length + named.length;
}
