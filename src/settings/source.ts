/** Where settings come from, and what can be wrong with them. */
import type { Json } from "../lib/json.ts";

/** `policy`: from an administrator. `project` and `local`: from the working directory. */
export type SettingsOrigin = "policy" | "flag" | "user" | "project" | "local";

export interface SettingsSource {
  /** For display: a path, or `--settings`. */
  name: string;
  /** The folder that a leading `/` of a path rule is relative to; absent for text on the command line. */
  folder?: string;
  origin: SettingsOrigin;
}

/** Whether the settings come with the folder that the session works in. */
export function isProjectSource({ origin }: { origin: SettingsOrigin | "trust" }): boolean {
  return origin === "project" || origin === "local";
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

/** Called with a key whose value is unfit. `expected` completes the sentence "… should be". */
export type ReportValue = (key: string, expected: string, value: Json) => void;

/** What to do about malformed settings. Text on the command line is in no file that could be moved. */
export function remedyFor({ folder }: SettingsSource): string {
  return folder === undefined ? "fix it" : "fix it, or move the file away";
}
