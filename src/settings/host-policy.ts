/** Takes policy from the program that embeds a session: settings that forbid are kept, those that would permit are dropped. */
import { isObject, newObject, type Json, type JsonObject } from "../lib/json.ts";

/** Its name among the sources of settings. */
export const hostPolicySource = "managedSettings";

type ValueFilter = (value: Json) => boolean;
const anyValue: ValueFilter = () => true;
const onlyTrue: ValueFilter = (value) => value === true;
const onlyFalse: ValueFilter = (value) => value === false;
/** Such a list replaces those below it: only an empty list takes something away, whatever they contain. */
const onlyEmptyList: ValueFilter = (value) => Array.isArray(value) && value.length === 0;

const keptKeys: ReadonlyMap<string, ValueFilter> = new Map([
  ["permissions.deny", anyValue],
  ["permissions.ask", anyValue],
  ["permissions.disableBypassPermissionsMode", anyValue],
  ["permissions.disableAutoMode", anyValue],
  ["permissions.denyInsteadOfPrompting", onlyTrue],
  ["permissions.blockReadsOutsideWorkingDirectories", onlyTrue],
  ["permissions.blockWritesOutsideWorkingDirectories", onlyTrue],
  ["disableAutoMode", anyValue],
  ["allowManagedHooksOnly", onlyTrue],
  ["allowManagedMcpServersOnly", onlyTrue],
  ["allowManagedPermissionRulesOnly", onlyTrue],
  ["allowedMcpServers", anyValue],
  ["deniedMcpServers", anyValue],
  ["availableModels", anyValue],
  ["availableModelsMatch", anyValue],
  ["deniedModels", anyValue],
  ["maxEffortLevel", anyValue],
  ["disableSkillShellExecution", onlyTrue],
  ["allowedHttpHookUrls", onlyEmptyList],
  ["httpHookAllowedEnvVars", onlyEmptyList],
  ["sandbox.enabled", onlyTrue],
  ["sandbox.failIfUnavailable", onlyTrue],
  ["sandbox.autoAllowBashIfSandboxed", onlyFalse],
  ["sandbox.allowUnsandboxedCommands", onlyFalse],
  ["sandbox.network.deniedDomains", anyValue],
  ["sandbox.network.strictAllowlist", onlyTrue],
  ["sandbox.network.allowManagedDomainsOnly", onlyTrue],
  ["sandbox.filesystem.denyRead", anyValue],
  ["sandbox.filesystem.denyWrite", anyValue],
  ["sandbox.filesystem.allowManagedReadPathsOnly", onlyTrue],
  ["sandbox.credentials.files", anyValue],
  ["sandbox.credentials.envVars", anyValue],
]);

export interface HostPolicy {
  settings: JsonObject;
  /** Dropped keys: they would permit something, or a host cannot set them. */
  dropped: string[];
}

export function readHostPolicy(values: JsonObject): HostPolicy {
  const dropped: string[] = [];
  const { disableAllHooks: disables, ...others } = values;
  const settings = keepForbiddingKeys(others, "", dropped);
  // It cannot disable hooks of the machine's own administrator. Any value but false or "false" counts as yes.
  const isOff = disables !== undefined && disables !== false && disables !== "false";
  return { settings: isOff ? Object.assign(settings, { allowManagedHooksOnly: true }) : settings, dropped };
}

function keepForbiddingKeys(object: JsonObject, path: string, dropped: string[]): JsonObject {
  const left = newObject();
  for (const [key, value] of Object.entries(object)) {
    const at = `${path}${key}`;
    const keeps = keptKeys.get(at);
    if (keeps !== undefined) {
      if (keeps(value)) left[key] = value;
      else dropped.push(at);
    } else if (isObject(value) && isKeyGroup(at)) left[key] = keepForbiddingKeys(value, `${at}.`, dropped);
    else dropped.push(at);
  }
  return left;
}

function isKeyGroup(path: string): boolean {
  return [...keptKeys.keys()].some((key) => key.startsWith(`${path}.`));
}
