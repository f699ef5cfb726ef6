/** Short lists for hosts. */
import type { SDKActiveGoal, SDKAgentInfo } from "../../protocol/sdk-control.ts";
import type { Goals } from "../goal/goals.ts";
import type { Joined } from "../joined.ts";

export function agentList({ agentTypes }: Pick<Joined, "agentTypes">): SDKAgentInfo[] {
  return agentTypes.map(({ name, description, model }) => ({
    name,
    description,
    ...(model === undefined ? {} : { model }),
  }));
}

export function pluginList({
  knowledge,
}: Pick<Joined, "knowledge">): { name: string; path: string; version?: string }[] {
  return knowledge.plugins.map(({ name, root: path, version }) =>
    version === undefined ? { name, path } : { name, path, version },
  );
}

/** The goal in the form of the convention. */
export function goalReport({ active }: Pick<Goals, "active">): SDKActiveGoal | null {
  if (active === undefined) return null;
  const { condition, iterations, setAt, tokensAtStart, lastReason } = active;
  const reasonField = lastReason === undefined ? {} : { last_reason: lastReason };
  return { condition, iterations, set_at: setAt, tokens_at_start: tokensAtStart, ...reasonField };
}
