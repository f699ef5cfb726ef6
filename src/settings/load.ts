/**
 * Settings from the user's own files and from the command line, lowest first. A project's files are seen and left out: what a
 * repository says may not steer the agent before somebody has trusted it.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { mergeObjects, newObject, type Json } from "./json.ts";
import { readLayer, type Layer } from "./layer.ts";
import { claudeHome, projectSettingsFiles, userSettingsFiles, withHome, type Environment } from "./paths.ts";
import { defaultSettings, type PlainSettings, type Settings } from "./settings.ts";
import type { SettingsProblem, SettingsSource } from "./source.ts";

export interface SettingsReader {
  /** Null where there is none. Throws where it cannot be read, or is larger than `maxBytes`. */
  read(file: string, maxBytes: number): string | null;
  exists(file: string): boolean;
}

export interface LoadOptions {
  /** The environment the process was started with. */
  env: Environment;
  home: string;
  /** Absolute. */
  cwd: string;
  /** `--settings`: a file's path, or JSON text. */
  flag?: string;
  /** Default: this disk. */
  reader?: SettingsReader;
}

export interface LoadedSettings {
  settings: Settings;
  problems: SettingsProblem[];
  /** False where a file says something of `cleanupPeriodDays` that is no period: nothing may be cleaned up on a guess. */
  isRetentionKnown: boolean;
}

type SourcedLayer = Layer & { source: SettingsSource };

const maxBytes = 2 * 1024 * 1024;
const tooLarge = "it is larger than 2 MiB, which settings are not";

const disk: SettingsReader = {
  read(file, most) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return null;
    if (!found.isFile()) throw new Error("it is no regular file");
    if (found.size > most) throw new Error(tooLarge);
    return readFileSync(file, "utf8");
  },
  exists: (file) => existsSync(file),
};

export function loadSettings(options: LoadOptions): LoadedSettings {
  const { env, home, cwd, flag, reader = disk } = options;
  const problems: SettingsProblem[] = [];
  const layers: SourcedLayer[] = [];
  const take = (text: string, source: SettingsSource): void => {
    const layer = readLayer(text, source, { home, cwd });
    problems.push(...layer.problems);
    layers.push({ ...layer, source });
  };
  for (const file of userSettingsFiles(env, home)) {
    const text = readFile(file, file, reader, problems);
    if (text !== null) take(text, { name: file, folder: dirname(file) });
  }
  if (flag !== undefined) takeFlag(flag, options, reader, problems, take);
  problems.push(...ignoredProjectFiles(options, reader));
  const isRetentionKnown = !layers.some(({ rejected }) => rejected.includes("cleanupPeriodDays"));
  return { settings: merge(layers), problems, isRetentionKnown };
}

function takeFlag(
  flag: string,
  { cwd, home }: LoadOptions,
  reader: SettingsReader,
  problems: SettingsProblem[],
  take: (text: string, source: SettingsSource) => void,
): void {
  const fail = (text: string): void => {
    problems.push({ level: "error", text: `--settings: ${text}.` });
  };
  if (flag.trim() === "") fail("give a file's path or JSON text");
  else if (/^\s*[{[]/u.test(flag)) {
    if (flag.length > maxBytes) fail(tooLarge);
    else take(flag, { name: "--settings", isFlag: true });
  } else {
    const file = resolve(cwd, withHome(flag, home));
    const before = problems.length;
    const text = readFile(file, `--settings ${file}`, reader, problems);
    if (text !== null) take(text, { name: file, folder: dirname(file), isFlag: true });
    else if (problems.length === before) fail(`there is no file ${file}`);
  }
}

function readFile(file: string, name: string, reader: SettingsReader, problems: SettingsProblem[]): string | null {
  try {
    return reader.read(file, maxBytes);
  } catch (error) {
    const why =
      error instanceof Error && "code" in error
        ? `it cannot be read (${String(error.code)})`
        : String(error instanceof Error ? error.message : error);
    problems.push({ level: "error", text: `${name}: ${why}; what it forbids cannot be told, so nothing is started.` });
    return null;
  }
}

function ignoredProjectFiles({ cwd, env, home }: LoadOptions, reader: SettingsReader): SettingsProblem[] {
  const users = new Set([...userSettingsFiles(env, home), join(claudeHome(env, home), "settings.local.json")]);
  const found = projectSettingsFiles(cwd).filter((file) => !users.has(file) && reader.exists(file));
  if (found.length === 0) return [];
  const text = `Settings of this project are ignored (${found.join(", ")}): this version reads them from flags, --settings and your own files only.`;
  return [{ level: "notice", text }];
}

/** Lists add up, objects merge, and of all else the last file that has it decides. `layers`: lowest first. */
function merge(layers: readonly SourcedLayer[]): Settings {
  const settings = defaultSettings();
  const catalog = { models: newObject(), aliases: newObject() };
  for (const layer of layers) {
    Object.assign(settings, layer.values as Partial<PlainSettings>);
    Object.assign(settings.env, layer.env);
    const { allow, deny, ask, additionalDirectories, defaultMode } = layer.permissions;
    const { permissions } = settings;
    permissions.allow.push(...allow);
    permissions.deny.push(...deny);
    permissions.ask.push(...ask);
    permissions.additionalDirectories.push(...additionalDirectories);
    permissions.defaultMode = defaultMode ?? permissions.defaultMode;
    settings.projectInstructions = layer.projectInstructions ?? settings.projectInstructions;
    const { name, isFlag } = layer.source;
    if (layer.hooks !== undefined)
      settings.hooks.push({ value: layer.hooks, origin: isFlag === true ? "flag" : "user", source: name });
    catalog.models = mergeObjects(catalog.models, layer.models);
    catalog.aliases = mergeObjects(catalog.aliases, layer.aliases);
  }
  const { fallbackModel } = settings as { fallbackModel?: Json };
  if (fallbackModel !== undefined) settings.fallbackModel = names(fallbackModel);
  settings.permissions.additionalDirectories = [...new Set(settings.permissions.additionalDirectories)];
  for (const [name, values] of Object.entries(catalog))
    if (Object.keys(values).length > 0) settings.catalog[name] = values;
  return settings;
}

/** A chain is one thing: the highest file's is taken whole. */
function names(value: Json): string[] {
  const list = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
  return list.flatMap((name) => (typeof name === "string" && name.trim() !== "" ? [name.trim()] : []));
}
