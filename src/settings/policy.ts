/** What administrators reserve for themselves: if they say so, other files' hooks or allow rules are left out. */
import { commandKeys } from "./keys.ts";
import type { Layer } from "./layer.ts";
import type { Settings, SettingsHooks } from "./settings.ts";
import type { SettingsProblem, SettingsSource } from "./source.ts";

interface Placed extends Layer {
  source: SettingsSource;
}

/** The layers as they take effect; each loss is reported. */
export function heldToPolicy<L extends Placed>(layers: readonly L[], problems: SettingsProblem[]): L[] {
  const says = (key: string): string | undefined =>
    layers.findLast(({ source, values }) => source.origin === "policy" && values[key] === true)?.source.name;
  const hooksBy = says("allowManagedHooksOnly");
  const serversBy = says("allowManagedMcpServersOnly");
  const rulesBy = says("allowManagedPermissionRulesOnly");
  const tell = (source: string, key: string, by: string): void => {
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
    const held = { ...layer };
    if (hooksBy !== undefined && hooks !== undefined) {
      delete held.hooks;
      tell(source.name, "hooks", hooksBy);
    }
    for (const key of hooksBy === undefined ? [] : commandKeys) {
      const { [key]: command, ...values } = held.values;
      if (command === undefined) continue;
      held.values = values;
      tell(source.name, key, hooksBy ?? "");
    }
    if (rulesBy !== undefined && permissions.allow.length > 0) {
      held.permissions = { ...permissions, allow: [] };
      tell(source.name, "permissions.allow", rulesBy);
    }
    if (serversBy !== undefined && layer.mcp?.allowed !== undefined) {
      const { allowed: _, ...mcp } = layer.mcp;
      held.mcp = mcp;
      tell(source.name, "allowedMcpServers", serversBy);
    }
    return held;
  });
}

/** The hooks that run. `disableAllHooks` does not disable an administrator's. */
export function hooksThatRun({ hooks, disableAllHooks }: Settings): SettingsHooks[] {
  return disableAllHooks === true ? hooks.filter(({ origin }) => origin === "policy") : hooks;
}
