/** Settings of what the model is given to know, which add up over the files: lists join, and of each name the last file's word counts. */
import { isObject, type Json, type JsonObject } from "../lib/json.ts";

/** `name-only`: listed without its description. `user-invocable-only`: not for the model to begin. */
export type SkillOverride = "on" | "name-only" | "user-invocable-only" | "off";

export interface KnowledgeSettings {
  /** Globs of absolute paths. */
  claudeMdExcludes: string[];
  skillOverrides: Record<string, SkillOverride>;
  /** By `plugin@marketplace`. */
  enabledPlugins: Record<string, boolean>;
  /** Those of them that an administrator turns on, from a marketplace of theirs: what they bring is theirs as well. */
  administratorsPlugins: string[];
  /** By name, as they stand there. */
  extraKnownMarketplaces: Record<string, JsonObject>;
  /** Of `pluginConfigs`, by plugin; a folder's own say nothing of it. */
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

/** `wrong` is told of each value that is not fit, which is then left out. `isFolders`: of files that come with a folder. */
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

/** `over` is laid over `below`, in place. */
export function addKnowledge(below: KnowledgeSettings, over: KnowledgeSettings): void {
  below.claudeMdExcludes = [...below.claudeMdExcludes, ...over.claudeMdExcludes];
  Object.assign(below.skillOverrides, over.skillOverrides);
  Object.assign(below.enabledPlugins, over.enabledPlugins);
  Object.assign(below.extraKnownMarketplaces, over.extraKnownMarketplaces);
  for (const [name, options] of Object.entries(over.pluginOptions))
    below.pluginOptions[name] = { ...below.pluginOptions[name], ...options };
}

/** How many things it says. */
export function knowledgeCount(settings: KnowledgeSettings): number {
  const { claudeMdExcludes, skillOverrides, enabledPlugins, extraKnownMarketplaces } = settings;
  const named = [skillOverrides, enabledPlugins, extraKnownMarketplaces].flatMap((each) => Object.keys(each));
  return claudeMdExcludes.length + named.length;
}
