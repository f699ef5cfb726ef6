/** Checks names of settings that a person asks for or wants to set. */
import { nearestName } from "../lib/edit-distance.ts";
import { keyRules, type ValueRule } from "./keys.ts";
import { splitKey } from "./report.ts";
import { supportedKeys, sectionKeys } from "./section-keys.ts";

/** Returns a sentence if no setting has this name, with the setting that was likely meant. */
export function unknownSettingMessage(key: string): string | undefined {
  const [first = "", second] = splitKey(key);
  const isEntry = second !== undefined && second !== "" && sectionKeys[first]?.holds === "map";
  if (supportedKeys.includes(key) || isEntry) return undefined;
  const whole = second === undefined ? undefined : wholeKeyForm(first);
  if (whole !== undefined) return `There is no setting "${key}": ${first} is set as a whole, to ${whole}.`;
  const near = nearestName(key, supportedKeys);
  const known = near === undefined ? "pawl config list --keys names them." : `did you mean ${near}?`;
  return `There is no setting "${key}": ${known}`;
}

/** Returns the form of a key whose value is one object; undefined for any other key. */
function wholeKeyForm(key: string): string | undefined {
  const rule: ValueRule | undefined = Object.hasOwn(keyRules, key) ? keyRules[key as keyof typeof keyRules] : undefined;
  return rule?.expected.startsWith("{") === true ? rule.expected : undefined;
}

/** Whether the name, such as `permissions`, is not a setting itself but has settings below it. */
export function hasSettingsBelow(key: string): boolean {
  return supportedKeys.some((known) => known.startsWith(`${key}.`));
}
