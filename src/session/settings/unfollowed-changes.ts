/** Which changed settings count only from the next session on. Loaded once settings have changed: few sessions see that. */
import type { LoadedSettings } from "../../settings/load.ts";
import { reportAllKeys } from "../../settings/report.ts";
import { isFollowed, isPartlyFollowed, topLevelKey } from "./followed.ts";

/** Returns the keys whose value has changed since and that a session does not follow. */
export function changedUnfollowedKeys(before: LoadedSettings, current: LoadedSettings): string[] {
  const old = valueTexts(before);
  const found = valueTexts(current);
  const changed = [...new Set([...old.keys(), ...found.keys()])].filter((key) => old.get(key) !== found.get(key));
  const kept = changed.filter((key) => !isFollowed(key));
  return [...new Set(kept.map((key) => (isPartlyFollowed(topLevelKey(key)) ? key : topLevelKey(key))))].toSorted();
}

function valueTexts(loaded: LoadedSettings): Map<string, string | undefined> {
  return new Map(reportAllKeys(loaded).map(({ key, value }) => [key, JSON.stringify(value)]));
}
