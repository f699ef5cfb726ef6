/** Reads settings into one object, with the source of each key. */
import { isAbsolute } from "node:path";
import { newObject } from "../../lib/json.ts";
import { setValueAt, reportAllKeys, splitKey, type KeyReport } from "../../settings/report.ts";
import type { SettingsOrigin } from "../../settings/source.ts";
import type {
  ResolvedSettings,
  ResolvedSetting,
  ResolvedSettingSource,
  ResolveSettingsOptions,
} from "./resolved-settings.ts";
import { loadSettingsFor, settingsPlaces } from "./read-settings.ts";
import { hostSettingsErrors } from "./settings-errors.ts";

const sources: Record<SettingsOrigin, ResolvedSettingSource> = {
  user: "user",
  project: "project",
  local: "local",
  policy: "managed",
  flag: "flag",
};

export function resolveLayers({ settingSources, ...otherOptions }: ResolveSettingsOptions): ResolvedSettings {
  const options = { ...otherOptions, ...(settingSources === undefined ? {} : { settingSources: [...settingSources] }) };
  const places = settingsPlaces({ ...options, onNotice: () => {} });
  const loaded = loadSettingsFor(options, places);
  const reports = reportAllKeys(loaded).filter(({ value }) => value !== undefined);
  const effective = newObject();
  for (const { key, value } of reports) if (value !== undefined) setValueAt(effective, splitKey(key), value);
  const files = loaded.layers.map(({ source }) => source.name);
  return {
    effective,
    provenance: Object.fromEntries(
      Object.entries(effective).map(([key, value]) => [key, provenanceOf(key, value, reports, files)]),
    ),
    sources: loaded.layers.map(({ source: { origin, name }, object }) => ({
      source: sources[origin],
      settings: object,
      ...pathOf(name),
    })),
    errors: hostSettingsErrors(loaded, places),
  };
}

/** Names the source with the highest precedence of all values below the key. */
function provenanceOf(
  key: string,
  value: unknown,
  reports: readonly KeyReport[],
  files: readonly string[],
): ResolvedSetting {
  const own = reports.filter((report) => splitKey(report.key)[0] === key);
  const counted = own.flatMap(({ sayings }) => sayings.filter((saying) => saying.counts));
  const highest = counted.toSorted((one, other) => files.lastIndexOf(one.file) - files.lastIndexOf(other.file)).at(-1);
  return { value, source: sources[highest?.scope ?? "user"], ...pathOf(highest?.file ?? "") };
}

function pathOf(name: string): { path?: string } {
  return isAbsolute(name) ? { path: name } : {};
}
