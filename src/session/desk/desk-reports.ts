/** Settings, rules and hooks as a host's own screens list them. */
import { newObject } from "../../lib/json.ts";
import { copyJson } from "../../protocol/copy-json.ts";
import { hookEvents } from "../../protocol/hook.ts";
import type { SDKHooksListing, SDKPermissionRules, SDKSettingsReport, SDKSource } from "../../protocol/sdk-control.ts";
import { matcherField } from "../../hooks/matcher.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { settingsFiles } from "../../settings/files.ts";
import type { SettingsOrigin } from "../../settings/source.ts";
import { setValueAt, reportAllKeys, reportKey, splitKey } from "../../settings/report.ts";
import { openHookDesk } from "./hook-desk.ts";
import type { Joined } from "../joined.ts";
import { loadSettingsFor, settingsPlaces } from "../settings/read-settings.ts";
import { hostSettingsErrors } from "../settings/settings-errors.ts";

const sdkSources: Record<SettingsOrigin, SDKSource> = {
  user: "userSettings",
  project: "projectSettings",
  local: "localSettings",
  policy: "policySettings",
  flag: "flagSettings",
};

export function settingsReport({ options, around }: Pick<Joined, "options" | "around">): SDKSettingsReport {
  const places = settingsPlaces({ ...options, onNotice: () => {} });
  const loaded = loadSettingsFor(options, places, around.live?.applied);
  const effective = newObject();
  const { live } = around;
  // Besides what the files say now, a session has values that it took from them at its start or with its last prompt.
  const keys = new Set(
    [loaded, live?.settingsInForce("permissions"), live?.settingsInForce("model")].flatMap(reportedKeys),
  );
  for (const key of keys) {
    // Values that the host has just set are read back at once, even before the prompt from which they apply.
    const isApplied = Object.hasOwn(live?.applied ?? {}, key.split(".")[0] ?? "");
    const { value } = reportKey((isApplied ? undefined : live?.settingsInForce(key)) ?? loaded, key);
    // A copy, so that changes by the host do not affect later reports.
    if (value !== undefined) setValueAt(effective, splitKey(key), copyJson(value));
  }
  return {
    effective,
    sources: loaded.layers.map(({ source: { origin, name }, object }) => ({
      source: sdkSources[origin],
      file: name,
      settings: object,
    })),
    errors: hostSettingsErrors(loaded, places),
  };
}

function reportedKeys(loaded: LoadedSettings | undefined): string[] {
  return loaded === undefined ? [] : reportAllKeys(loaded).map(({ key }) => key);
}

export function permissionReport(
  { options, permissions, around }: Joined,
  added: readonly string[],
): SDKPermissionRules {
  const places = settingsPlaces({ ...options, onNotice: () => {} });
  const origins = new Map<string, SDKSource>();
  // A settings file that has become invalid still counts as it did.
  for (const { path, origin } of settingsFiles(places)) origins.set(path, sdkSources[origin]);
  const { layers } = loadSettingsFor(options, places, around.live?.applied);
  for (const { source } of layers) origins.set(source.name, sdkSources[source.origin]);
  // Rules of other origin came up during the session: from an answer, or from a skill, until the next turn.
  const sourceOf = (source: string): SDKSource =>
    origins.get(source) ?? (source.startsWith("--") ? "cliArg" : "session");
  const { additionalDirectories } = around.settings.permissions;
  const [, ...more] = permissions.folders();
  const folderSource = (path: string): SDKSource => {
    if (added.includes(path)) return "session";
    if (options.addDirs?.includes(path) === true) return "cliArg";
    return additionalDirectories.includes(path) ? "userSettings" : "session";
  };
  return {
    rules: permissions.describeRules().map(({ behavior, rule, source }) => {
      const from = sourceOf(source);
      return { behavior, source: from, rule, editability: editabilityOf(from) };
    }),
    workspaceDirectories: more.map((path) => ({ path, source: folderSource(path) })),
    originalCwd: around.cwd,
    managedOnly: around.settings.allowManagedPermissionRulesOnly === true,
  };
}

function editabilityOf(source: SDKSource): SDKPermissionRules["rules"][number]["editability"] {
  switch (source) {
    case "userSettings":
    case "projectSettings":
    case "localSettings":
      return "persistent";
    case "session":
    case "cliArg":
      return "session";
    case "policySettings":
    case "flagSettings":
      return "readonly";
    default:
      return source satisfies never;
  }
}

export function hooksReport({ options, around }: Pick<Joined, "options" | "around">): SDKHooksListing {
  const quiet = { ...options, onNotice: () => {} };
  const { hooks } = openHookDesk(quiet);
  const { settings, layers } = loadSettingsFor(options, settingsPlaces(quiet), around.live?.applied);
  const decidingLayer = layers.findLast(({ values }) => typeof values["disableAllHooks"] === "boolean");
  const events = hookEvents
    .map((name) => ({
      name,
      supportsMatcher: matcherField(name) !== undefined,
      hookCount: hooks.filter(({ event }) => event === name).length,
    }))
    .filter(({ hookCount }) => hookCount > 0);
  return {
    events,
    hooks: hooks.map(({ event, matcher, source, type, command, if: condition, timeout, why }) => ({
      event,
      matcher: matcher ?? "",
      source,
      type,
      commandText: command,
      ...(condition === null ? {} : { condition }),
      timeout,
      ...(why === null ? {} : { disabled: true as const, disabledReason: why }),
    })),
    policy: {
      disabledByPolicy: settings.disableAllHooks === true && decidingLayer?.source.origin === "policy",
      managedOnly: settings.allowManagedHooksOnly === true,
    },
  };
}
