/** The settings that a running session follows; for all others it keeps the values it started with. */
import type { LoadedSettings } from "../../settings/load.ts";
import { reportAll } from "../../settings/report.ts";

const followed = new Set(
  `permissions disableAutoMode hooks env disableAllHooks statusLine fileSuggestion allowedHttpHookUrls httpHookAllowedEnvVars
  allowManagedHooksOnly allowManagedPermissionRulesOnly`.split(/\s+/u),
);

/** `key`: as written in settings. */
export function isFollowed(key: string): boolean {
  // Once the session has begun, its mode is its own.
  return followed.has(firstOf(key)) && key !== "permissions.defaultMode";
}

/** Returns the keys whose value has changed since and that a session does not follow. */
export function keptKeys(before: LoadedSettings, now: LoadedSettings): string[] {
  const [old, found] = [before, now].map(
    (loaded) => new Map(reportAll(loaded).map(({ key, value }) => [key, JSON.stringify(value)])),
  ) as [Map<string, string | undefined>, Map<string, string | undefined>];
  const changed = [...new Set([...old.keys(), ...found.keys()])].filter((key) => old.get(key) !== found.get(key));
  const kept = changed.filter((key) => !isFollowed(key));
  return [...new Set(kept.map((key) => (followed.has(firstOf(key)) ? key : firstOf(key))))].toSorted();
}

function firstOf(key: string): string {
  return key.split(".")[0] ?? "";
}
