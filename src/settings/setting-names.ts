/** Checks names of settings that a person asks for or wants to set. */
import { nearestName } from "../lib/edit-distance.ts";
import { splitKey } from "./report.ts";
import { supportedKeys, sectionKeys } from "./section-keys.ts";

/** Returns a sentence if no setting has this name, with the setting that was likely meant. */
export function unknownSettingMessage(key: string): string | undefined {
  const [first = "", second] = splitKey(key);
  const isEntry = second !== undefined && second !== "" && sectionKeys[first]?.holds === "map";
  if (supportedKeys.includes(key) || isEntry) return undefined;
  const near = nearestName(key, supportedKeys);
  const known = near === undefined ? "pawl config list --keys names them." : `did you mean ${near}?`;
  return `There is no setting "${key}": ${known}`;
}

/** Whether the name, such as `permissions`, is not a setting itself but has settings below it. */
export function hasSettingsBelow(key: string): boolean {
  return supportedKeys.some((known) => known.startsWith(`${key}.`));
}
