/** Settings in force with where each comes from: the shapes. */
import type { SDKSettingsError } from "../../protocol/sdk-control.ts";

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
