/** What of a session goes along when an empty one takes its place. */
import { sessionSource } from "../permissions/permissions.ts";
import type { Joined } from "./joined.ts";
import type { Kept } from "./parts.ts";

/** The user's own choices: the model, its effort, the permission mode, what was allowed always, the folders; and who leads it. */
export function keptOf({ selected, permissions, options, around }: Joined): Kept {
  const rules = permissions.describeRules();
  return {
    model: selected.current,
    ...(selected.effort === undefined ? {} : { effort: selected.effort }),
    permissionMode: permissions.getMode(),
    agent: options.agent,
    addDirs: options.addDirs,
    grantedRules: rules.filter(({ source }) => source === sessionSource),
    applied: around.live?.applied,
  };
}
