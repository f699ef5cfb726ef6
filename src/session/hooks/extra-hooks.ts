/** Hooks from outside the settings: those of plugins, of an agent while it runs, and of a skill once it is started. */
import type { HookPlaceProperties } from "../../hooks/config.ts";
import type { HookOrigin } from "../../hooks/handler.ts";
import { isRecord } from "../../lib/is-record.ts";
import { skillFolderVariables } from "../../knowledge/plugin-data.ts";
import type { Plugin } from "../../knowledge/plugins.ts";
import type { Skill } from "../../knowledge/skill.ts";
import type { NamedAgent } from "../../protocol/agent.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { pluginVariables, withOptionVariables } from "../plugins/variables.ts";

/** The `hooks` value of one place, as written there. */
export interface HookDefinitions {
  value: unknown;
  origin: HookOrigin;
  /** For people. */
  source: string;
  place?: HookPlaceProperties;
  /** Set for the hooks of an agent's own end. */
  isOfEnd?: true;
}

/** Settings that disable hooks, or leave them to an administrator, apply to these hooks as well. */
export function enabledExtraHooks(definitions: readonly HookDefinitions[], settings: Settings): HookDefinitions[] {
  const isHeld = settings.disableAllHooks === true || settings.allowManagedHooksOnly === true;
  return isHeld
    ? definitions.filter(({ origin, place }) => origin === "policy" || place?.isAdministrators === true)
    : [...definitions];
}

const origins = {
  "built-in": "policy",
  option: "flag",
  policy: "policy",
  project: "project",
  user: "user",
  plugin: "plugin",
} as const satisfies Record<NamedAgent["source"], HookOrigin>;

/** The hooks of all plugins. */
export function allPluginHooks(
  plugins: readonly Plugin[],
  { pawlHome, settings }: Pick<Surroundings, "pawlHome" | "settings">,
): HookDefinitions[] {
  const { administratorsPlugins: administratorsIds } = settings.knowledge;
  // A fetched plugin lies in the user's own folder, where the user can change it.
  const isAdministrators = ({ id, isFetched }: Plugin): boolean => administratorsIds.includes(id) && isFetched !== true;
  return plugins.flatMap((plugin) => pluginHooks(plugin, pawlHome, isAdministrators(plugin)));
}

function pluginHooks(plugin: Plugin, pawlHome: string, isAdministrators: boolean): HookDefinitions[] {
  const { hooks, name } = plugin;
  if (hooks.length === 0) return [];
  const variables = pluginVariables(plugin, pawlHome);
  const place: HookPlaceProperties = { variables, ...(isAdministrators ? { isAdministrators } : {}) };
  return hooks.map(({ value, source }) => ({
    value: withOptionVariables(value),
    origin: "plugin" as const,
    source: `${source} (${name})`,
    place,
  }));
}

/** The hooks that an agent inherits: what guards its starter's calls guards its own. Without plugin hooks, which it has itself. */
export function inheritedHooks(definitions: readonly HookDefinitions[] = []): HookDefinitions[] {
  const passed = definitions
    .flatMap(asAgentHooks)
    .filter(({ origin, place, isOfEnd }) => (origin !== "plugin" || place?.isSkill === true) && !isOfEnd);
  return passed.map((each) => ({ ...each, place: { ...each.place, isResumed: true, isAbove: true } }));
}

/** The hooks of an agent that is to run. By convention `Stop` in its file means its own end; with `isMain` that is the session's end. */
export function agentHooks(agent: NamedAgent | undefined, isMain: boolean): HookDefinitions[] {
  if (agent?.hooks === undefined) return [];
  const { hooks, source, name, path } = agent;
  const definitions = { origin: origins[source], source: path ?? `agents.${name}`, value: hooks };
  return isMain ? [definitions] : asAgentHooks(definitions);
}

/** The same hooks within an agent, where no `Stop` fires: it becomes `SubagentStop` of this agent alone. */
export function asAgentHooks(definitions: HookDefinitions): HookDefinitions[] {
  if (!isRecord(definitions.value)) return [definitions];
  const { Stop: own, ...others } = definitions.value;
  if (own === undefined) return [definitions];
  const unmatched = (group: unknown): unknown => (isRecord(group) ? { ...group, matcher: undefined } : group);
  const atEnd = Array.isArray(own) ? own.map(unmatched) : own;
  return [
    { ...definitions, value: others },
    { ...definitions, value: { SubagentStop: atEnd }, isOfEnd: true },
  ];
}

/** The hooks of a skill; undefined if it has none. `isResumed`: the skill was started before a resume. */
export function skillHooks(skill: Skill | undefined, isResumed: boolean): HookDefinitions | undefined {
  if (skill?.hooks === undefined) return undefined;
  const { hooks: value, source, path } = skill;
  const variables = skillFolderVariables(skill);
  return { value, origin: origins[source], source: path, place: { isSkill: true, isResumed, variables } };
}
