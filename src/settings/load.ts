/**
 * Settings from the user's own files and from the command line, lowest first. A project's files are seen and left out: what a
 * repository says may not steer the agent before somebody has trusted it.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { claudeHome, projectSettingsFiles, userSettingsFiles } from "./paths.ts";
import { applySettings, defaultSettings, isObject, type Settings } from "./settings.ts";
import type { SettingsProblem, SettingsSource } from "./source.ts";

export interface LoadOptions {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  cwd: string;
  /** `--settings`: a file's path, or JSON text. */
  flag?: string;
}

export interface LoadedSettings {
  settings: Settings;
  problems: SettingsProblem[];
}

const maxBytes = 2 * 1024 * 1024;

export function loadSettings(options: LoadOptions): LoadedSettings {
  const settings = defaultSettings();
  const problems: SettingsProblem[] = [];
  for (const path of new Set(userSettingsFiles(options.env, options.home))) {
    const text = readIfThere(path, problems);
    if (text !== undefined) problems.push(...take(settings, text, { name: path, folder: dirname(path) }));
  }
  if (options.flag !== undefined) problems.push(...takeFlag(settings, options.flag, options.cwd));
  problems.push(...ignoredProjectFiles(options));
  return { settings, problems };
}

function takeFlag(settings: Settings, flag: string, cwd: string): SettingsProblem[] {
  if (flag.trimStart().startsWith("{")) return take(settings, flag, { name: "--settings" });
  const path = resolve(cwd, flag);
  const problems: SettingsProblem[] = [];
  const text = readIfThere(path, problems);
  if (text === undefined && problems.length === 0)
    return [{ level: "error", text: `--settings: there is no file ${path}.` }];
  return text === undefined ? problems : take(settings, text, { name: path, folder: dirname(path) });
}

function take(settings: Settings, text: string, source: SettingsSource): SettingsProblem[] {
  if (text.length > maxBytes)
    return [{ level: "error", text: `${source.name} is larger than ${maxBytes} bytes; settings are not.` }];
  let values: unknown;
  try {
    values = JSON.parse(text.replace(/^\ufeff/, ""), withoutPrototype);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [{ level: "error", text: `${source.name} is not valid JSON (${why}): mend it, or move it away.` }];
  }
  if (!isObject(values)) return [{ level: "error", text: `${source.name} should hold one JSON object.` }];
  return applySettings(settings, values, source);
}

/** A `__proto__` key is data like any other, and of no use to anybody. */
function withoutPrototype(key: string, value: unknown): unknown {
  return key === "__proto__" ? undefined : value;
}

function readIfThere(path: string, problems: SettingsProblem[]): string | undefined {
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    if (status === undefined) return undefined;
    if (status.isFile() && status.size <= maxBytes) return readFileSync(path, "utf8");
    problems.push({
      level: "error",
      text: `${path} is ${status.isFile() ? `larger than ${maxBytes} bytes` : "not a regular file"}; settings are not.`,
    });
  } catch (error) {
    problems.push({
      level: "error",
      text: `${path} could not be read: ${error instanceof Error ? error.message : String(error)}.`,
    });
  }
  return undefined;
}

function ignoredProjectFiles({ cwd, env, home }: LoadOptions): SettingsProblem[] {
  const users = new Set([...userSettingsFiles(env, home), resolve(claudeHome(env, home), "settings.local.json")]);
  const found = projectSettingsFiles(cwd).filter((path) => !users.has(path) && existsSync(path));
  if (found.length === 0) return [];
  return [
    {
      level: "notice",
      text: `Settings of this project are ignored (${found.join(", ")}): this version reads them from flags, --settings and your own files only.`,
    },
  ];
}
