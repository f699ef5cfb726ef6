/** Short lists that hosts ask for. */
import type { SDKAgentInfo } from "../../protocol/sdk-control.ts";
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
