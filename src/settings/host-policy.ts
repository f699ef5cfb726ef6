/** Takes policy from the program that embeds a session: settings that forbid are kept, those that would permit are dropped. */
import { isObject, newObject, type Json, type JsonObject } from "../lib/json.ts";

/** Its name among the sources of settings. */
export const hostPolicyName = "managedSettings";

type Keeps = (value: Json) => boolean;
const anything: Keeps = () => true;
const on: Keeps = (value) => value === true;
const off: Keeps = (value) => value === false;
/** Such a list replaces those below it: only an empty list takes something away, whatever they contain. */
const nothing: Keeps = (value) => Array.isArray(value) && value.length === 0;

const kept: ReadonlyMap<string, Keeps> = new Map([
  ["permissions.deny", anything],
  ["permissions.ask", anything],
  ["permissions.disableBypassPermissionsMode", anything],
  ["permissions.disableAutoMode", anything],
  ["permissions.denyInsteadOfPrompting", on],
  ["permissions.blockReadsOutsideWorkingDirectories", on],
  ["permissions.blockWritesOutsideWorkingDirectories", on],
  ["disableAutoMode", anything],
  ["allowManagedHooksOnly", on],
  ["allowManagedMcpServersOnly", on],
  ["allowManagedPermissionRulesOnly", on],
  ["allowedMcpServers", anything],
  ["deniedMcpServers", anything],
  ["availableModels", anything],
  ["availableModelsMatch", anything],
  ["deniedModels", anything],
  ["maxEffortLevel", anything],
  ["disableSkillShellExecution", on],
  ["allowedHttpHookUrls", nothing],
  ["httpHookAllowedEnvVars", nothing],
  ["sandbox.enabled", on],
  ["sandbox.failIfUnavailable", on],
  ["sandbox.autoAllowBashIfSandboxed", off],
  ["sandbox.allowUnsandboxedCommands", off],
  ["sandbox.network.deniedDomains", anything],
  ["sandbox.network.strictAllowlist", on],
  ["sandbox.network.allowManagedDomainsOnly", on],
  ["sandbox.filesystem.denyRead", anything],
  ["sandbox.filesystem.denyWrite", anything],
  ["sandbox.filesystem.allowManagedReadPathsOnly", on],
  ["sandbox.credentials.files", anything],
  ["sandbox.credentials.envVars", anything],
]);

export interface HostPolicy {
  settings: JsonObject;
  /** Dropped keys: they would permit something, or a host cannot set them. */
  dropped: string[];
}

export function hostPolicy(given: JsonObject): HostPolicy {
  const dropped: string[] = [];
  const { disableAllHooks: disables, ...others } = given;
  const settings = restricted(others, "", dropped);
  // It cannot disable hooks of the machine's own administrator. Any value but false or "false" counts as yes.
  const isOff = disables !== undefined && disables !== false && disables !== "false";
  return { settings: isOff ? Object.assign(settings, { allowManagedHooksOnly: true }) : settings, dropped };
}

function restricted(object: JsonObject, path: string, dropped: string[]): JsonObject {
  const left = newObject();
  for (const [key, value] of Object.entries(object)) {
    const at = `${path}${key}`;
    const keeps = kept.get(at);
    if (keeps !== undefined) {
      if (keeps(value)) left[key] = value;
      else dropped.push(at);
    } else if (isObject(value) && isPart(at)) left[key] = restricted(value, `${at}.`, dropped);
    else dropped.push(at);
  }
  return left;
}

function isPart(path: string): boolean {
  return [...kept.keys()].some((key) => key.startsWith(`${path}.`));
}
