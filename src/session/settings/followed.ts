/** The settings that a running session follows; for all others it keeps the values it started with. */
import type { LoadedSettings } from "../../settings/load.ts";
import { reportAllKeys } from "../../settings/report.ts";

const followedKeys = new Set(
  `permissions disableAutoMode hooks env disableAllHooks statusLine fileSuggestion allowedHttpHookUrls httpHookAllowedEnvVars
  allowManagedHooksOnly allowManagedPermissionRulesOnly`.split(/\s+/u),
);

/** `key`: as written in settings. */
export function isFollowed(key: string): boolean {
  // Once the session has begun, its mode is its own.
  return followedKeys.has(topLevelKey(key)) && key !== "permissions.defaultMode";
}

/** Returns the keys whose value has changed since and that a session does not follow. */
export function changedUnfollowedKeys(before: LoadedSettings, current: LoadedSettings): string[] {
  const old = valueTexts(before);
  const found = valueTexts(current);
  const changed = [...new Set([...old.keys(), ...found.keys()])].filter((key) => old.get(key) !== found.get(key));
  const kept = changed.filter((key) => !isFollowed(key));
  return [...new Set(kept.map((key) => (followedKeys.has(topLevelKey(key)) ? key : topLevelKey(key))))].toSorted();
}

function valueTexts(loaded: LoadedSettings): Map<string, string | undefined> {
  return new Map(reportAllKeys(loaded).map(({ key, value }) => [key, JSON.stringify(value)]));
}

function topLevelKey(key: string): string {
  return key.split(".")[0] ?? "";
}
