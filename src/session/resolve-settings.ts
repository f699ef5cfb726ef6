/** What settings a session in a folder would have, and which file says so: without a session. What it needs is loaded with the call. */
import type { SDKSettingsError } from "../protocol/sdk-control.ts";
import { UsageError } from "../lib/usage-error.ts";
import { checkObject, checkOptionalTexts } from "./check-arguments.ts";

export interface ResolveSettingsOptions {
  /** Default: the process's folder. */
  cwd?: string;
  /** Whose files are read besides an administrator's. Default: all. */
  settingSources?: readonly ("user" | "project" | "local")[];
  /** What forbids, as by an administrator, where there is none. */
  managedSettings?: object;
  /** True: the folder's own settings count as those of a trusted one. Default: where the user trusts it. */
  trust?: boolean;
  /** Read instead of the process's environment: `PAWL_HOME`, `CLAUDE_CONFIG_DIR`, `HOME`. */
  env?: Record<string, string | undefined>;
  home?: string;
}

/** `managed`: an administrator's, or the host's in its place. */
export type ResolvedSettingSource = "user" | "project" | "local" | "managed" | "flag";

export interface ResolvedSetting {
  /** As in `effective`. */
  value: unknown;
  /** The highest of those that say it. */
  source: ResolvedSettingSource;
  /** Absolute; absent where it is no file's. */
  path?: string;
}

export interface ResolvedSettings {
  /** What counts, in the shape of a settings file: keys that this version acts on. */
  effective: Record<string, unknown>;
  /** By key of `effective`. */
  provenance: Record<string, ResolvedSetting>;
  /** As they stand there, lowest first. */
  sources: { source: ResolvedSettingSource; settings: Record<string, unknown>; path?: string }[];
  /** What cannot be read in them, and values that were left out. */
  errors: SDKSettingsError[];
}

const names = new Set(["cwd", "settingSources", "managedSettings", "trust", "env", "home"]);
const sourceNames: readonly unknown[] = ["user", "project", "local"];

/** Throws `UsageError` for options that are none, and for a folder that is not there. */
export async function resolveSettings(options: ResolveSettingsOptions = {}): Promise<ResolvedSettings> {
  checkObject("what resolveSettings() takes", options);
  const { cwd, home, settingSources } = options;
  const unknown = Object.keys(options).find((name) => !names.has(name));
  if (unknown !== undefined) throw new UsageError(`resolveSettings() has no option ${unknown.slice(0, 80)}.`);
  checkOptionalTexts({ cwd, home });
  const isList = settingSources === undefined || Array.isArray(settingSources);
  if (!isList || settingSources?.some((name) => !sourceNames.includes(name)) === true)
    throw new UsageError("settingSources is a list of user, project and local.");
  return (await import("./settings/resolved.ts")).resolved(options);
}
