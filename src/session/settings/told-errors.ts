/** What is wrong with settings, as hosts are told it. */
import type { SDKSettingsError } from "../../protocol/sdk-control.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { problemsInside } from "./problems-inside.ts";
import type { SettingsPlaces } from "./read-settings.ts";

/** Of files, flags and the host: what cannot be read, and values that were left out. What is no mistake, such as missing trust, names no source. */
export function errorsOf(loaded: LoadedSettings, places: SettingsPlaces): SDKSettingsError[] {
  return [...loaded.problems, ...problemsInside(loaded, places)]
    .filter(({ level, source }) => level === "error" || (level === "notice" && source !== undefined))
    .map(({ text, source, key }) => ({
      ...(source === undefined ? {} : { file: source }),
      path: key ?? "",
      message: text,
    }));
}
