/** Types for the settings in force and the origin of each. */
import type { SDKSettingsError } from "../../protocol/sdk-control.ts";

export interface ResolveSettingsOptions {
  /** Default: the process's folder. */
  cwd?: string;
  /** The scopes whose files are read in addition to an administrator's. Default: all. */
  settingSources?: readonly ("user" | "project" | "local")[];
  /** Restrictions that apply like an administrator's, if there are none on this machine. */
  managedSettings?: object;
  /** True: the folder's own settings count as trusted. Default: only if the user trusts them. */
  trust?: boolean;
  /** Replaces the process's environment: `PAWL_HOME`, `CLAUDE_CONFIG_DIR`, `HOME`. */
  env?: Record<string, string | undefined>;
  home?: string;
}

/** `managed`: an administrator's, or the host's in its place. */
export type ResolvedSettingSource = "user" | "project" | "local" | "managed" | "flag";

export interface ResolvedSetting {
  /** As in `effective`. */
  value: unknown;
  /** The source with the highest precedence that sets it. */
  source: ResolvedSettingSource;
  /** Absolute; absent if the source is not a file. */
  path?: string;
}

export interface ResolvedSettings {
  /** The values in force, in the shape of a settings file, for the keys that this version acts on. */
  effective: Record<string, unknown>;
  /** By the keys of `effective`. */
  provenance: Record<string, ResolvedSetting>;
  /** The sources' contents as written, lowest precedence first. */
  sources: { source: ResolvedSettingSource; settings: Record<string, unknown>; path?: string }[];
  /** Parts of them that cannot be read, and values that were left out. */
  errors: SDKSettingsError[];
}
