/** Checks names of settings that a person asks for or wants to set. */
import { nearestName } from "../lib/edit-distance.ts";
import { stepsOf } from "./report.ts";
import { actedOn, sectionKeys } from "./sections.ts";

/** Returns a sentence if no setting has this name, with the setting that was likely meant. */
export function noSuchSetting(key: string): string | undefined {
  const [first = "", second] = stepsOf(key);
  const isEntry = second !== undefined && second !== "" && sectionKeys[first]?.holds === "map";
  if (actedOn.includes(key) || isEntry) return undefined;
  const near = nearestName(key, actedOn);
  const known = near === undefined ? "pawl config list --keys names them." : `did you mean ${near}?`;
  return `There is no setting "${key}": ${known}`;
}

/** Whether the name, such as `permissions`, is not a setting itself but has settings below it. */
export function isAboveSettings(key: string): boolean {
  return actedOn.some((known) => known.startsWith(`${key}.`));
}
