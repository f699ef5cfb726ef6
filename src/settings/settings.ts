/**
 * What settings files may say, and how each key is read. A key this version does not know is left alone; one of the wrong
 * type is reported and dropped; a deny or ask list that cannot be read stops the start, because it was to protect.
 */
import type { Effort } from "../protocol/model.ts";
import { permissionModes, type PermissionMode } from "../protocol/permission.ts";
import type { SettingsProblem, SettingsSource } from "./source.ts";

/** A rule with the file it came from, as the permission room takes it. */
export interface SettingsRule {
  rule: string;
  source: string;
  /** What a leading `/` in its path means: the folder of its file. */
  root?: string;
}

export interface Settings {
  model?: string;
  fallbackModel?: string[];
  effortLevel?: Effort;
  env: Record<string, string>;
  permissions: {
    allow: SettingsRule[];
    deny: SettingsRule[];
    ask: SettingsRule[];
    defaultMode?: PermissionMode;
    additionalDirectories: string[];
  };
  /** A command whose output is the API key; from the user's own files and flags only. */
  apiKeyHelper?: string;
  /** `models` and `aliases` of the catalogue, as `model/catalog-overrides.ts` reads them. */
  catalog: Record<string, unknown>;
  promptCacheTtl?: "5m" | "1h";
  cleanupPeriodDays: number;
  autoCompactEnabled: boolean;
  autoCompactWindow?: number;
  bashOutputMaxChars?: number;
  includeGitInstructions: boolean;
  respectGitignore: boolean;
}

export function defaultSettings(): Settings {
  return {
    env: {},
    permissions: { allow: [], deny: [], ask: [], additionalDirectories: [] },
    catalog: {},
    cleanupPeriodDays: 30,
    autoCompactEnabled: true,
    includeGitInstructions: true,
    respectGitignore: true,
  };
}

type Apply = (settings: Settings, value: unknown, source: SettingsSource) => SettingsProblem | null;

const efforts: readonly Effort[] = ["low", "medium", "high", "xhigh", "max"];

const appliers: Record<string, Apply> = {
  model: scalar("model", "a model's name", isText),
  fallbackModel(settings, value, source) {
    const names = typeof value === "string" ? value.split(",") : value;
    if (!isTextList(names)) return wrong(source, "fallbackModel", "a name or a list of names");
    settings.fallbackModel = names.map((name) => name.trim());
    return null;
  },
  effortLevel: scalar("effortLevel", `one of ${efforts.join(", ")}`, (value): value is Effort =>
    efforts.includes(value as Effort),
  ),
  apiKeyHelper: scalar("apiKeyHelper", "a command", isText),
  promptCacheTtl: scalar(
    "promptCacheTtl",
    '"5m" or "1h"',
    (value): value is "5m" | "1h" => value === "5m" || value === "1h",
  ),
  cleanupPeriodDays: scalar("cleanupPeriodDays", "a number of days, at least 1", isCount),
  autoCompactEnabled: scalar("autoCompactEnabled", "true or false", isFlag),
  autoCompactWindow: scalar("autoCompactWindow", "a number of tokens", isCount),
  bashOutputMaxChars: scalar("bashOutputMaxChars", "a number of characters", isCount),
  includeGitInstructions: scalar("includeGitInstructions", "true or false", isFlag),
  respectGitignore: scalar("respectGitignore", "true or false", isFlag),
  env: applyEnvironment,
  permissions: applyPermissions,
  models: applyCatalog("models"),
  aliases: applyCatalog("aliases"),
};

/** Lays one file's values over what is there; answers what was wrong with them. */
export function applySettings(
  settings: Settings,
  values: Record<string, unknown>,
  source: SettingsSource,
): SettingsProblem[] {
  const problems: SettingsProblem[] = [];
  for (const [key, apply] of Object.entries(appliers)) {
    if (!Object.hasOwn(values, key)) continue;
    const problem = apply(settings, values[key], source);
    if (problem !== null) problems.push(problem);
  }
  return problems;
}

function scalar<Key extends keyof Settings>(
  key: Key,
  expected: string,
  isGood: (value: unknown) => value is NonNullable<Settings[Key]>,
): Apply {
  return (settings, value, source) => {
    if (!isGood(value)) return wrong(source, key, expected);
    settings[key] = value;
    return null;
  };
}

function applyEnvironment(settings: Settings, value: unknown, source: SettingsSource): SettingsProblem | null {
  if (!isObject(value) || !Object.values(value).every(isText)) return wrong(source, "env", "an object of texts");
  for (const [name, text] of Object.entries(value))
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) settings.env[name] = String(text);
  return null;
}

function applyCatalog(key: "models" | "aliases"): Apply {
  return (settings, value, source) => {
    if (!isObject(value)) return wrong(source, key, "an object");
    const known = settings.catalog[key];
    settings.catalog[key] = { ...(isObject(known) ? known : {}), ...value };
    return null;
  };
}

function applyPermissions(settings: Settings, value: unknown, source: SettingsSource): SettingsProblem | null {
  if (!isObject(value)) return { ...wrong(source, "permissions", "an object"), level: "error" };
  const { permissions } = settings;
  for (const behavior of ["deny", "ask", "allow"] as const) {
    const rules = Object.hasOwn(value, behavior) ? value[behavior] : [];
    if (!isTextList(rules)) {
      const problem = wrong(source, `permissions.${behavior}`, "a list of rules");
      return behavior === "allow" ? problem : { ...problem, level: "error" };
    }
    permissions[behavior].push(...rules.map((rule) => ({ rule, source: source.name, root: source.folder })));
  }
  return applyScope(permissions, value, source);
}

function applyScope(
  permissions: Settings["permissions"],
  value: Record<string, unknown>,
  source: SettingsSource,
): SettingsProblem | null {
  const { defaultMode, additionalDirectories = [] } = value;
  if (!isTextList(additionalDirectories))
    return wrong(source, "permissions.additionalDirectories", "a list of folders");
  permissions.additionalDirectories.push(...additionalDirectories);
  if (defaultMode === undefined) return null;
  const mode = defaultMode === "manual" ? "default" : permissionModes.find((known) => known === defaultMode);
  if (mode === undefined) return wrong(source, "permissions.defaultMode", `one of ${permissionModes.join(", ")}`);
  permissions.defaultMode = mode;
  return null;
}

function wrong(source: SettingsSource, key: string, expected: string): SettingsProblem {
  return { level: "notice", text: `${source.name}: "${key}" should be ${expected}; it was left out.` };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
