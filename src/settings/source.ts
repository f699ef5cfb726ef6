/** Where settings come from, and what may be wrong with them. */

/** `policy`: an administrator's. `project` and `local`: from the folder that is worked in. */
export type SettingsOrigin = "policy" | "flag" | "user" | "project" | "local";

export interface SettingsSource {
  /** For people: a path, or `--settings`. */
  name: string;
  /** What a leading `/` of a path rule is relative to; absent for text on the command line. */
  folder?: string;
  origin: SettingsOrigin;
}

export interface SettingsProblem {
  /** `error`: do not start; what was to protect cannot be read. `remark`: for those who ask what counts and what does not. */
  level: "error" | "notice" | "remark";
  /** One sentence that names the file, the key and what was expected. */
  text: string;
  /** The file, or `--settings`. */
  source?: string;
  /** Its path, such as `permissions.deny[1]`. */
  key?: string;
}

/** Of one that is not whole. Text of the command line is in no file. */
export function wayOut({ folder }: SettingsSource): string {
  return folder === undefined ? "mend it" : "mend it, or move the file away";
}
