/** What administrators reserve for themselves: if they say so, other files' hooks or allow rules are left out. */
import { commandKeys } from "./keys.ts";
import type { SourcedLayer } from "./layer.ts";
import type { Settings, SettingsHooks } from "./settings.ts";
import type { SettingsProblem } from "./source.ts";

/** The layers as they take effect; each loss is reported. */
export function applyPolicyLimits<L extends SourcedLayer>(layers: readonly L[], problems: SettingsProblem[]): L[] {
  const policyThatSets = (key: string): string | undefined =>
    layers.findLast(({ source, values }) => source.origin === "policy" && values[key] === true)?.source.name;
  const hooksBy = policyThatSets("allowManagedHooksOnly");
  const serversBy = policyThatSets("allowManagedMcpServersOnly");
  const rulesBy = policyThatSets("allowManagedPermissionRulesOnly");
  const reportLoss = (source: string, key: string, by: string): void => {
    problems.push({
      level: "notice",
      text: `${source}: "${key}" was left out: ${by} leaves it to an administrator.`,
      source,
      key,
    });
  };
  return layers.map((layer) => {
    const { source, permissions, hooks } = layer;
    if (source.origin === "policy") return layer;
    const limited = { ...layer };
    if (hooksBy !== undefined && hooks !== undefined) {
      delete limited.hooks;
      reportLoss(source.name, "hooks", hooksBy);
    }
    for (const key of hooksBy === undefined ? [] : commandKeys) {
      const { [key]: command, ...values } = limited.values;
      if (command === undefined) continue;
      limited.values = values;
      reportLoss(source.name, key, hooksBy ?? "");
    }
    if (rulesBy !== undefined && permissions.allow.length > 0) {
      limited.permissions = { ...permissions, allow: [] };
      reportLoss(source.name, "permissions.allow", rulesBy);
    }
    if (serversBy !== undefined && layer.mcp?.allowed !== undefined) {
      const { allowed: _, ...mcp } = layer.mcp;
      limited.mcp = mcp;
      reportLoss(source.name, "allowedMcpServers", serversBy);
    }
    return limited;
  });
}

/** The hooks that run. `disableAllHooks` does not disable an administrator's. */
export function activeHooks({ hooks, disableAllHooks }: Settings): SettingsHooks[] {
  return disableAllHooks === true ? hooks.filter(({ origin }) => origin === "policy") : hooks;
}
