/**
 * Settings of the convention that protect their user and that this version does not implement. Their author relies on them, so each is
 * reported, and an administrator's stops the start: ignoring a guard silently would be failing open.
 */
import { isObject, type Json, type JsonObject } from "../lib/json.ts";

const isOn = (value: Json): boolean => value === true;
const isSaid = (value: Json): boolean => value !== null && value !== false && value !== "";
const isFilled = (value: Json): boolean =>
  Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;

const guards: readonly (readonly [path: readonly string[], isSet: (value: Json) => boolean])[] = [
  [["permissions", "workingDirectoriesExclude"], isFilled],
  [["allowedProviders"], isFilled],
  [["blockedMarketplaces"], isFilled],
  [["disableSideloadFlags"], isOn],
  [["forceLoginMethod"], isSaid],
  [["forceLoginOrgUUID"], isSaid],
  [["forceRemoteSettingsRefresh"], isOn],
  [["managedMcpServers"], isFilled],
  [["policyHelper"], isFilled],
  [["requiredMaximumVersion"], isSaid],
  [["requiredMinimumVersion"], isSaid],
  [["strictKnownMarketplaces"], Array.isArray],
  [["strictPluginOnlyCustomization"], isSaid],
];

/** Names of the keys that are set, such as `permissions.blockReadsOutsideWorkingDirectories`. */
export function guardsNotKept(settings: JsonObject): string[] {
  const set = guards.filter(([path, isSet]) => {
    let value: Json | undefined = settings;
    for (const key of path) value = isObject(value) ? value[key] : undefined;
    return value !== undefined && isSet(value);
  });
  return set.map(([path]) => path.join("."));
}
