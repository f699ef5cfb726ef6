/** What settings a session in a folder would have, and which file says so: without a session. What it needs is loaded with the call. */
import { UsageError } from "../../lib/usage-error.ts";
import { checkOptionalTexts, checkOptionObjects } from "../options/check-arguments.ts";
import type { ResolvedSettings, ResolveSettingsOptions } from "./resolved-settings.ts";

const names = new Set(["cwd", "settingSources", "managedSettings", "trust", "env", "home"]);
const sourceNames: readonly unknown[] = ["user", "project", "local"];

/** Throws `UsageError` for options that are none, and for a folder that is not there. */
export async function resolveSettings(options: ResolveSettingsOptions = {}): Promise<ResolvedSettings> {
  checkOptionObjects(options);
  const { cwd, home, settingSources } = options;
  const unknown = Object.keys(options).find((name) => !names.has(name));
  if (unknown !== undefined) throw new UsageError(`resolveSettings() has no option ${unknown.slice(0, 80)}.`);
  checkOptionalTexts({ cwd, home });
  const isList = settingSources === undefined || Array.isArray(settingSources);
  if (!isList || settingSources?.some((name) => !sourceNames.includes(name)) === true)
    throw new UsageError("settingSources is a list of user, project and local.");
  return (await import("./resolved.ts")).resolved(options);
}
