/** Where settings come from, and what can be wrong with them. */

/** `policy`: from an administrator. `project` and `local`: from the working directory. */
export type SettingsOrigin = "policy" | "flag" | "user" | "project" | "local";

export interface SettingsSource {
  /** For display: a path, or `--settings`. */
  name: string;
  /** The folder that a leading `/` of a path rule is relative to; absent for text on the command line. */
  folder?: string;
  origin: SettingsOrigin;
}

export interface SettingsProblem {
  /** `error`: do not start, a protecting setting cannot be read. `remark`: shown only to a user who asks what counts and what does not. */
  level: "error" | "notice" | "remark";
  /** One sentence that names the file, the key and what was expected. */
  text: string;
  /** The file, or `--settings`. */
  source?: string;
  /** The key's path, such as `permissions.deny[1]`. */
  key?: string;
}

/** What to do about malformed settings. Text on the command line is in no file that could be moved. */
export function remedyFor({ folder }: SettingsSource): string {
  return folder === undefined ? "fix it" : "fix it, or move the file away";
}
