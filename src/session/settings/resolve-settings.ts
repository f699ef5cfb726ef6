/** Resolves the settings a session in a folder would have, and the file each comes from. Starts no session; loads code on demand. */
import { UsageError } from "../../lib/usage-error.ts";
import { checkNames, checkOptionalTexts, checkOptionObjects } from "../options/check-arguments.ts";
import type { ResolvedSettings, ResolveSettingsOptions } from "./resolved-settings.ts";

const optionNames = ["cwd", "settingSources", "managedSettings", "trust", "env", "home"] as const;
const sourceNames: readonly unknown[] = ["user", "project", "local"];

/** Throws `UsageError` for unknown or invalid options, and for a folder that does not exist. */
export async function resolveSettings(options: ResolveSettingsOptions = {}): Promise<ResolvedSettings> {
  checkOptionObjects(options);
  const { cwd, home, settingSources } = options;
  checkNames(options, optionNames);
  checkOptionalTexts({ cwd, home });
  const isList = settingSources === undefined || Array.isArray(settingSources);
  if (!isList || settingSources?.some((name) => !sourceNames.includes(name)) === true)
    throw new UsageError("settingSources must be a list of user, project and local.");
  return (await import("./resolved.ts")).resolveLayers(options);
}
