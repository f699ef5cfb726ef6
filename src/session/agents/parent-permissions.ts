/** What an agent shares with its parent. */
import type { ParentPermissions } from "../../permissions/parent-permissions.ts";
import { ruleText, type PermissionUpdate } from "../../protocol/permission.ts";
import type { StartedAgent } from "./started-agent.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { isolatedRules, isPathRule } from "../worktrees/isolation-rules.ts";

/** For an agent in a worktree of its own, "always" permissions about files are not shared: they hold only for that worktree. */
export function parentPermissions(agentRun: StartedAgent, { isolation, home }: Surroundings): ParentPermissions {
  const { parent, place } = agentRun;
  const { permissions } = parent;
  const begunAt = (): number => agentRun.ruleVersion;
  if (place === undefined) return { permissions, begunAt, sharesFolders: true, shares: () => true };
  return {
    permissions,
    begunAt,
    mapRules: (rules) => isolatedRules(rules, isolation, home, parent.around.isolation?.mirrors.length),
    sharesFolders: false,
    shares: (change) => !(typeof change === "string" ? isPathRule(change) : concernsPaths(change)),
  };
}

function concernsPaths(change: PermissionUpdate): boolean {
  if (change.type === "setMode") return false;
  return !("rules" in change) || change.rules.some((rule) => isPathRule(ruleText(rule)));
}
