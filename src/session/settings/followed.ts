/** The settings that a running session follows; for all others it keeps the values it started with. */
const followedKeys = new Set(
  `permissions disableAutoMode hooks env disableAllHooks statusLine fileSuggestion allowedHttpHookUrls httpHookAllowedEnvVars
  allowManagedHooksOnly allowManagedPermissionRulesOnly`.split(/\s+/u),
);

/** `key`: as written in settings. */
export function isFollowed(key: string): boolean {
  // Once the session has begun, its mode is its own.
  return isPartlyFollowed(topLevelKey(key)) && key !== "permissions.defaultMode";
}

/** Whether the session follows at least a part of what this top-level key holds. */
export function isPartlyFollowed(key: string): boolean {
  return followedKeys.has(key);
}

export function topLevelKey(key: string): string {
  return key.split(".")[0] ?? "";
}
