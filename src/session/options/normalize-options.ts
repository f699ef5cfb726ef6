/** Expands options that stand for several others, before anything is read. */
import { resolve } from "node:path";
import { statusAt } from "../../lib/status-at.ts";
import type { Environment } from "../../lib/environment.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { parseJsonc } from "../../settings/jsonc.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { findUnknownSandboxKey } from "../../settings/sandbox-keys.ts";
import { isJsonFlag } from "../../settings/flag.ts";
import { environmentFlag } from "../../tools/variables.ts";
import { jsonText } from "./check-arguments.ts";
import { optionNames, ruleOf } from "./option-rules.ts";
import type { EngineOptions } from "./options.ts";
import { asFireAndForget } from "../../lib/fire-and-forget.ts";
import { isBareSession } from "./variables.ts";

/** Clears the options that name an existing session, for a session that begins empty beside or after this one. */
export const clearedSessionOptions = {
  resume: undefined,
  resumeSessionAt: undefined,
  resumeDropsTurn: undefined,
  continue: false,
  forkSession: false,
  sessionId: undefined,
  orphanedPermission: undefined,
  title: undefined,
} satisfies Partial<EngineOptions>;

/** The tools of a bare session that names none. */
const bareTools = ["Bash", "Read", "Edit"];

/** Throws `UsageError` if options contradict one another, or if a folder does not exist. */
export function normalizeOptions(options: EngineOptions): EngineOptions {
  return mergeSandboxOption(resolveFolders(applyEnvironment(options, options.env ?? process.env)));
}

/** Resolves added folders against the session's working directory. A missing folder is an error, since it would be ignored silently. */
function resolveFolders(options: EngineOptions): EngineOptions {
  const { addDirs, cwd = "." } = options;
  if (addDirs === undefined) return options;
  const folders = addDirs.map((folder) => resolve(cwd, folder));
  const missingFolder = folders.find((folder) => statusAt(folder)?.isDirectory() !== true);
  if (missingFolder !== undefined)
    throw new UsageError(`addDirs names the folder ${missingFolder}, which does not exist.`);
  return { ...options, addDirs: folders };
}

/** Applies environment variables to the options. Settings, which are read later, may add to the environment. */
export function applyEnvironment(options: EngineOptions, env: Environment): EngineOptions {
  return applyBareMode(applyPromptHistoryVariable(options, env), env);
}

/** Wraps the listeners of the host so that an exception in one ends no turn, and does not keep changed settings from taking effect. */
export function withSafeCallbacks(options: EngineOptions): EngineOptions {
  const listeners = optionNames.flatMap((name) => {
    const listener: unknown = options[name];
    const isWrapped = ruleOf(name).isListener === true && typeof listener === "function";
    return isWrapped ? [[name, asFireAndForget(listener as () => unknown)]] : [];
  });
  return { ...options, ...Object.fromEntries(listeners) };
}

/** The environment may forbid keeping anything that is said in a session. */
function applyPromptHistoryVariable(options: EngineOptions, env: Environment): EngineOptions {
  const skipsHistory = environmentFlag(env, "CLAUDE_CODE_SKIP_PROMPT_HISTORY", false);
  return skipsHistory ? { ...options, persistSession: false } : options;
}

/** A bare session takes nothing that is found around it: only the MCP servers it is given, and only the few tools it needs. */
function applyBareMode(options: EngineOptions, env: Environment): EngineOptions {
  const { bare = environmentFlag(env, "CLAUDE_CODE_SIMPLE", false), ...others } = options;
  if (bare) {
    const own = { ...(options.env ?? process.env), CLAUDE_CODE_SIMPLE: "1" };
    return { ...others, env: own, strictMcpConfig: true, tools: options.tools ?? bareTools };
  }
  return isBareSession(env) ? { ...options, strictMcpConfig: true } : options;
}

/** Merges the option `sandbox` into the settings of this run. If it enables the sandbox, the session refuses to start without one. */
function mergeSandboxOption(options: EngineOptions): EngineOptions {
  const { sandbox, settings, ...others } = options;
  if (sandbox === undefined) return options;
  // A misspelt key would leave the commands unconfined.
  const unknownKey = findUnknownSandboxKey(sandbox);
  if (unknownKey !== undefined) throw new UsageError(`sandbox has no key ${unknownKey.slice(0, 80)}.`);
  const flag = parseFlagSettings(settings);
  const flagSandbox = isObject(flag["sandbox"]) ? flag["sandbox"] : {};
  const insists = sandbox["enabled"] === true ? { failIfUnavailable: true } : {};
  return { ...others, settings: jsonText("sandbox", { ...flag, sandbox: { ...flagSandbox, ...insists, ...sandbox } }) };
}

function parseFlagSettings(flag: string | undefined): JsonObject {
  if (flag === undefined) return {} as JsonObject;
  if (!isJsonFlag(flag))
    throw new UsageError("The option sandbox cannot be combined with a settings file: put sandbox into that file.");
  const parsed = parseJsonc(flag);
  const value: Json | undefined = parsed.ok ? parsed.value : undefined;
  if (!isObject(value)) throw new UsageError("settings must be the JSON text of an object, or the path of a file.");
  return value;
}
