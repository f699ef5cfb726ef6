/** What an agent shares with whoever started it. */
import type { Above } from "../../permissions/above.ts";
import { ruleText, type PermissionUpdate } from "../../protocol/permission.ts";
import type { AgentSeat } from "../joined.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { isolatedRules, isPathRule } from "../worktrees/isolated.ts";

/** For an agent in a worktree of its own, "always" permissions about files are not shared: they hold only for whoever works there. */
export function aboveOf({ parent, place }: AgentSeat, { isolation, home }: Surroundings): Above {
  const { permissions } = parent;
  if (place === undefined) return { permissions, sharesFolders: true, shares: () => true };
  return {
    permissions,
    held: (rules) => isolatedRules(rules, isolation, home, parent.around.isolation?.mirrors.length),
    sharesFolders: false,
    shares: (change) => !(typeof change === "string" ? isPathRule(change) : isOfPaths(change)),
  };
}

function isOfPaths(change: PermissionUpdate): boolean {
  if (change.type === "setMode") return false;
  return !("rules" in change) || change.rules.some((rule) => isPathRule(ruleText(rule)));
}
