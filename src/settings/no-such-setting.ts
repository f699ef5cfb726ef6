/** Names that a person asks for, or would set. */
import { nearestName } from "../lib/edit-distance.ts";
import { stepsOf } from "./report.ts";
import { actedOn, sectionKeys } from "./sections.ts";

/** A sentence where no setting has this name, with the one that was likely meant. */
export function noSuchSetting(key: string): string | undefined {
  const [first = "", second] = stepsOf(key);
  const isEntry = second !== undefined && second !== "" && sectionKeys[first]?.holds === "map";
  if (actedOn.includes(key) || isEntry) return undefined;
  const near = nearestName(key, actedOn);
  const known = near === undefined ? "pawl config list --keys names them." : `did you mean ${near}?`;
  return `There is no setting "${key}": ${known}`;
}

/** Such as `permissions`: not set itself, and what is below it may be. */
export function isAboveSettings(key: string): boolean {
  return actedOn.some((known) => known.startsWith(`${key}.`));
}
