/**
 * Settings of the convention that protect their user and that this version does not implement. Their author relies on them, so each is
 * reported, and an administrator's stops the start: ignoring a guard silently would be failing open.
 */
import { isObject, type Json, type JsonObject } from "../lib/json.ts";

const isOn = (value: Json): boolean => value === true;
const hasValue = (value: Json): boolean => value !== null && value !== false && value !== "";
const hasEntries = (value: Json): boolean =>
  Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;

const guards: readonly (readonly [path: readonly string[], isSet: (value: Json) => boolean])[] = [
  [["permissions", "workingDirectoriesExclude"], hasEntries],
  [["allowedProviders"], hasEntries],
  [["blockedMarketplaces"], hasEntries],
  [["disableSideloadFlags"], isOn],
  [["forceLoginMethod"], hasValue],
  [["forceLoginOrgUUID"], hasValue],
  [["forceRemoteSettingsRefresh"], isOn],
  [["managedMcpServers"], hasEntries],
  [["policyHelper"], hasEntries],
  [["requiredMaximumVersion"], hasValue],
  [["requiredMinimumVersion"], hasValue],
  [["strictKnownMarketplaces"], Array.isArray],
  [["strictPluginOnlyCustomization"], hasValue],
];

/** Names of the keys that are set, such as `permissions.blockReadsOutsideWorkingDirectories`. */
export function unenforcedGuards(settings: JsonObject): string[] {
  const set = guards.filter(([path, isSet]) => {
    let value: Json | undefined = settings;
    for (const key of path) value = isObject(value) ? value[key] : undefined;
    return value !== undefined && isSet(value);
  });
  return set.map(([path]) => path.join("."));
}
