/** Hooks that are in no settings: those of plugins, of an agent while it runs, of a skill from when it is begun. */
import type { HookPlace } from "../../hooks/config.ts";
import type { HookOrigin } from "../../hooks/handler.ts";
import { isRecord } from "../../lib/is-record.ts";
import { folderVariables } from "../../knowledge/plugin-data.ts";
import type { Plugin } from "../../knowledge/plugins.ts";
import type { Skill } from "../../knowledge/skill.ts";
import type { NamedAgent } from "../../protocol/agent.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { pluginVariables, withOptionVariables } from "../plugins/variables.ts";

/** The `hooks` of one place, as they stand there. */
export interface GivenHooks {
  value: unknown;
  origin: HookOrigin;
  /** For people. */
  source: string;
  place?: HookPlace;
  /** Of an agent: what its own end is told to. */
  isOfEnd?: true;
}

/** What switches hooks off, or leaves them to an administrator, holds for these as for those of settings. */
export function besideThatRun(given: readonly GivenHooks[], settings: Settings): GivenHooks[] {
  const isHeld = settings.disableAllHooks === true || settings.allowManagedHooksOnly === true;
  return isHeld
    ? given.filter(({ origin, place }) => origin === "policy" || place?.isAdministrators === true)
    : [...given];
}

const origins = {
  "built-in": "policy",
  option: "flag",
  policy: "policy",
  project: "project",
  user: "user",
  plugin: "plugin",
} as const satisfies Record<NamedAgent["source"], HookOrigin>;

export function originOf(source: NamedAgent["source"]): HookOrigin {
  return origins[source];
}

/** Of all plugins. */
export function pluginsHooks(
  plugins: readonly Plugin[],
  { pawlHome, settings }: Pick<Surroundings, "pawlHome" | "settings">,
): GivenHooks[] {
  const { administratorsPlugins: theirs } = settings.knowledge;
  // What lies in a user's own folder is the user's to change.
  const isTheirs = ({ id, isFetched }: Plugin): boolean => theirs.includes(id) && isFetched !== true;
  return plugins.flatMap((plugin) => pluginHooks(plugin, pawlHome, isTheirs(plugin)));
}

function pluginHooks(plugin: Plugin, pawlHome: string, isAdministrators: boolean): GivenHooks[] {
  const { hooks, name } = plugin;
  if (hooks.length === 0) return [];
  const variables = pluginVariables(plugin, pawlHome);
  const place: HookPlace = { variables, ...(isAdministrators ? { isAdministrators } : {}) };
  return hooks.map(({ value, source }) => ({
    value: withOptionVariables(value),
    origin: "plugin" as const,
    source: `${source} (${name})`,
    place,
  }));
}

/** For an agent, those of whoever starts it: what guards their calls guards its calls. Those of plugins it has itself. */
export function hooksAbove(given: readonly GivenHooks[] = []): GivenHooks[] {
  const passed = given.filter(
    ({ origin, place, isOfEnd }) => (origin !== "plugin" || place?.isSkill === true) && !isOfEnd,
  );
  return passed.map((each) => ({ ...each, place: { ...each.place, isResumed: true, isAbove: true } }));
}

/** Of the agent that is to run. By convention what its file says of `Stop` is meant for its own end; `isMain`: that is the session's. */
export function agentHooks(agent: NamedAgent | undefined, isMain: boolean): GivenHooks[] {
  if (agent?.hooks === undefined) return [];
  const { hooks, source, name, path } = agent;
  const given = { origin: originOf(source), source: path ?? `agents.${name}` };
  if (isMain || !isRecord(hooks)) return [{ ...given, value: hooks }];
  const { Stop: own, ...others } = hooks;
  const whole = { ...given, value: others };
  if (own === undefined) return [whole];
  const unmatched = (group: unknown): unknown => (isRecord(group) ? { ...group, matcher: undefined } : group);
  const atEnd = Array.isArray(own) ? own.map(unmatched) : own;
  return [whole, { ...given, value: { SubagentStop: atEnd }, isOfEnd: true }];
}

/** Of a skill; undefined where it has none. `isResumed`: it was begun before a resume. */
export function skillHooks(skill: Skill | undefined, isResumed: boolean): GivenHooks | undefined {
  if (skill?.hooks === undefined) return undefined;
  const { hooks: value, source, path, folder, plugin } = skill;
  const variables = { CLAUDE_SKILL_DIR: folder, ...(plugin === undefined ? {} : folderVariables(plugin)) };
  return { value, origin: originOf(source), source: path, place: { isSkill: true, isResumed, variables } };
}
