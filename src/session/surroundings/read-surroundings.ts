/** Reads what a session needs before it is made: the process, its folder, its settings. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { version } from "../../lib/version.ts";
import { systemClock, systemIds } from "../../lib/system-clock.ts";
import { reportUnusedAuthorities, trustAuthorities } from "./authorities.ts";
import { pawlHome } from "../../settings/paths.ts";
import { thisMachine } from "./machine.ts";
import { readApiKey } from "./credentials.ts";
import { nonEmpty } from "../options/variables.ts";
import type { EngineOptions } from "../options/options.ts";
import { findStartFiles, findStartFilesShared, type FoundFiles } from "../settings/found-files.ts";
import { LiveSettings } from "../settings/live-settings.ts";
import { readSettings, settingsPlaces, searchPlaces, type SettingsPlaces } from "../settings/read-settings.ts";
import type { Surroundings } from "./surroundings.ts";
import type { Settings } from "../../settings/settings.ts";

export async function readSurroundings(options: EngineOptions): Promise<Surroundings> {
  const places = settingsPlaces(options);
  // Copied now, since the caller may change it next.
  const variables = definedVariables(places.env);
  const around = surroundingsIn(options, places, variables, await findStartFilesShared(searchPlaces(options, places)));
  return { ...around, apiKey: await readApiKey(around, around.settings.apiKeyHelper) };
}

/**
 * For callers that use no model. Runs nothing.
 * @internal
 */
export function surroundingsWithoutKey(options: EngineOptions): Surroundings {
  const places = settingsPlaces(options);
  return surroundingsIn(options, places, definedVariables(places.env), findStartFiles(searchPlaces(options, places)));
}

/** `variables`: the process's variables that are set. */
function surroundingsIn(
  options: EngineOptions,
  places: SettingsPlaces,
  variables: Record<string, string>,
  foundFiles: FoundFiles,
): Surroundings {
  const { cwd, home, sessionsHome, notice } = places;
  const watch = readSettings(options, places, foundFiles);
  const { settings, isRetentionKnown, project } = watch.loaded;
  const env = withBetas({ ...outputLimit(settings), ...settings.env, ...variables }, options);
  // A process has a single list of authorities: what a program trusts is its own decision.
  if (options.headless !== undefined) trustAuthorities({ settingsEnv: settings.env, env: variables, cwd, notice });
  else reportUnusedAuthorities(env, process.env, notice);
  const { mcpFile, claudeJsonFile, knowledge } = foundFiles;
  const jobFolder = nonEmpty(variables["PAWL_JOB_DIR"]);
  return {
    cwd,
    env,
    home,
    pawlHome: pawlHome(variables, home),
    knowledge: { ...knowledge, cwd },
    ...withoutUndefined({ sessionsHome, mirror: options.transcriptMirror, mcpFile, claudeJsonFile, jobFolder }),
    settings,
    live: new LiveSettings({ watch, notice, debug: (line) => options.debug?.(line) }),
    ...(project === undefined ? {} : { project }),
    cleanupPeriodDays: isRetentionKnown ? settings.cleanupPeriodDays : undefined,
    notice,
    clock: options.clock ?? systemClock,
    ids: options.ids ?? systemIds,
    machine: thisMachine,
    version: options.version ?? version,
  };
}

/** The tool's own variable takes precedence over the setting. */
function outputLimit({ bashOutputMaxChars: most }: Settings): Record<string, string> {
  return most === undefined ? {} : { BASH_MAX_OUTPUT_LENGTH: String(most) };
}

function withBetas(env: Record<string, string>, { betas = [] }: EngineOptions): Record<string, string> {
  const betaNames = [env["ANTHROPIC_BETAS"] ?? "", ...betas].filter((name) => name !== "").join(",");
  return betaNames === "" ? env : { ...env, ANTHROPIC_BETAS: betaNames };
}

/** Drops unset variables, so that only set ones take precedence over those from settings. */
function definedVariables(env: SettingsPlaces["env"]): Record<string, string> {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined) set[name] = value;
  return set;
}
