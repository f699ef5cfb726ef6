/** Settings problems in the form that hosts receive. */
import type { SDKSettingsError } from "../../protocol/sdk-control.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { ruleAndHookProblems } from "./rule-and-hook-problems.ts";
import type { SettingsPlaces } from "./read-settings.ts";

/** Lists what is unreadable in files, flags and host settings, and values left out. Skips notices without a source (missing trust). */
export function hostSettingsErrors(loaded: LoadedSettings, places: SettingsPlaces): SDKSettingsError[] {
  return [...loaded.problems, ...ruleAndHookProblems(loaded, places)]
    .filter(({ level, source }) => level === "error" || (level === "notice" && source !== undefined))
    .map(({ text, source, key }) => ({
      ...(source === undefined ? {} : { file: source }),
      path: key ?? "",
      message: text,
    }));
}
