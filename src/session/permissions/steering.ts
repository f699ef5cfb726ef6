/**
 * The files that steer a session wherever they are: those named by its flags and variables, those of its plugins, and the programs its
 * settings start. Used by permissions and the sandbox.
 */
import { isAbsolute, resolve } from "node:path";
import { programsInCommands, type SteeringFile } from "../../permissions/paths/steering-files.ts";
import { flagFile, isJsonFlag } from "../../settings/flag.ts";
import type { HookOccasions } from "../hooks/hook-occasions.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { pluginFiles } from "./plugin-files.ts";

const noHooks: HookOccasions["extraHooks"] = [];

type Around = Pick<Surroundings, "cwd" | "home" | "env" | "settings" | "isolation">;

/** Variables that name a program with which commands, including unprompted ones, are started or searched. */
const programVariables = ["CLAUDE_CODE_SHELL", "CLAUDE_CODE_SHELL_PREFIX", "PAWL_RG"];

export type Steering = () => readonly SteeringFile[];

/** Looks for the files when first called, and again if the settings have changed since. */
export function steeringOf(
  options: EngineOptions,
  around: Around,
  occasions?: Pick<HookOccasions, "extraHooks">,
): Steering {
  const { cwd, home, env, settings } = around;
  const flags = flagFiles(options, around);
  let seen: unknown[] = [];
  let found: readonly SteeringFile[] = flags;
  return () => {
    const { hooks, statusLine, fileSuggestion, apiKeyHelper, otelHeadersHelper, knowledge } = settings;
    const extraHooks = occasions?.extraHooks ?? noHooks;
    const commands = [hooks, statusLine, fileSuggestion, apiKeyHelper, otelHeadersHelper];
    const evidence = [...commands, extraHooks, knowledge];
    if (evidence.every((each, at) => each === seen[at]) && seen.length > 0) return found;
    seen = evidence;
    const values = [...commands, ...programVariables.map((name) => env[name])].map((each) =>
      typeof each === "string" ? { command: each } : each,
    );
    const variables = { CLAUDE_PROJECT_DIR: around.isolation?.projectFolder ?? cwd };
    const programs = new Set([
      ...programsInCommands(values, { cwd, home, variables }),
      ...extraHooks.flatMap(({ value, place }) =>
        programsInCommands(value, { cwd, home, variables: { ...variables, ...place?.variables } }),
      ),
    ]);
    return (found = [...flags, ...pluginFiles(options, around), ...Array.from(programs, startedFile)]);
  };
}

function flagFiles({ settings, mcpConfig = [] }: EngineOptions, { cwd, home, env }: Around): SteeringFile[] {
  const own = settings === undefined || isJsonFlag(settings) ? [] : [flagFile(settings, cwd, home)];
  const servers = mcpConfig.filter((flag) => !isJsonFlag(flag)).map((flag) => resolve(cwd, flag));
  // The shell of each command reads this file first.
  const { CLAUDE_ENV_FILE: read = "" } = env;
  return [...own, ...servers, ...(isAbsolute(read) ? [read] : [])].map((path) => ({
    path,
    level: "never",
    name: path,
  }));
}

function startedFile(path: string): SteeringFile {
  return { path, level: "guarded", name: `${path}, which a hook or another setting starts,` };
}

const packageFolderPattern = /\/(?:node_modules|\.?venv)\//u;

/**
 * Returns the files that sandboxed commands may not change. Files installed by package managers are exempt: such a program consists of
 * more files than the named one, and package managers remove and recreate them together.
 */
export function protectedSteeringFiles(files: readonly SteeringFile[]): string[] {
  return files.flatMap(({ path }) => (packageFolderPattern.test(path) ? [] : path));
}
