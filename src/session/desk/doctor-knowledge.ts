/** What a session would find here of memory files, skills, commands, agents, plugins and styles, and why it is in force or not. */
import type { PluginPart } from "../../knowledge/plugin-parts.ts";
import { candidateNames } from "../../knowledge/bare-names.ts";
import type { LoadedAgent } from "../../knowledge/agents.ts";
import { loadKnowledge, type Knowledge } from "../../knowledge/load-knowledge.ts";
import { loadMemory } from "../../knowledge/memory.ts";
import { isOffered } from "../../knowledge/skill-listing.ts";
import type { Skill } from "../../knowledge/skill.ts";
import type { KnowledgeProblem, KnowledgeSource } from "../../protocol/knowledge.ts";
import type { HookProblem } from "../../hooks/hook-problem.ts";
import { readHooks } from "../settings/read-hooks.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { countServers } from "../../settings/mcp.ts";
import { claudeHome, pawlHome } from "../../settings/paths.ts";
import { diskPaths } from "../../permissions/paths/path-forms.ts";
import { RuleBook } from "../../permissions/rule-book.ts";
import { requestedServers } from "../agents/rights.ts";
import { findCommand } from "../commands/table.ts";
import { enabledExtraHooks, allPluginHooks } from "../hooks/extra-hooks.ts";
import type { EngineOptions } from "../options/options.ts";
import { writtenRules } from "../permissions/permission-parts.ts";
import { pluginWishes } from "../plugins/wishes.ts";
import { listMemoryFiles } from "../knowledge/memory-listing.ts";
import { styleInForce, listStyles } from "../knowledge/style.ts";
import { createMemoryTrust, createTextTrust } from "../knowledge/trusted.ts";
import type { SettingsPlaces } from "../settings/read-settings.ts";
import { isSecretImport } from "../../permissions/paths/secret-import.ts";

export interface Finding {
  name: string;
  source: KnowledgeSource;
  path?: string;
  /** Whether it takes effect. */
  inForce: boolean;
  /** Why not, or which part does not take effect. One clause each. */
  remarks: string[];
}

export interface KnowledgeReport {
  skills: Finding[];
  commands: Finding[];
  agents: Finding[];
  plugins: {
    name: string;
    path: string;
    version?: string;
    /** The number of each. */
    brings: { hooks: number; servers: number };
    unused: string[];
  }[];
  /** `found`: styles from files. `chosen`: named by settings, or forced by a plugin. */
  styles: { chosen: string; isThere: boolean; found: { name: string; source: KnowledgeSource; path: string }[] };
  /** Problems in files of skills, commands and agents. */
  problems: KnowledgeProblem[];
}

export interface MemoryReport {
  files: { path: string; scope: string; characters: number; importedBy?: string }[];
  /** Rules that wait for a file they apply to. */
  waiting: { path: string; globs: string[] }[];
  notices: string[];
}

type SourcesOption = { sources?: readonly string[] };

function settingSourcesOf({ settingSources: sources }: EngineOptions): SourcesOption {
  return sources === undefined ? {} : { sources };
}

export function examineMemory(
  options: EngineOptions,
  { cwd, home, env }: SettingsPlaces,
  { settings, project }: LoadedSettings,
): MemoryReport {
  const rules = new RuleBook({ cwd, home, reader: diskPaths });
  rules.replace(writtenRules(options, settings));
  const { files, scoped, notices } = loadMemory({
    cwd,
    home,
    pawlHome: pawlHome(env, home),
    claudeConfigDir: claudeHome(env, home),
    instructions: settings.projectInstructions,
    excludes: settings.knowledge.claudeMdExcludes,
    ...settingSourcesOf(options),
    mayRead: (path) => !rules.forbidsReading(path, diskPaths),
    isHeldBack: isSecretImport,
    mayImportOutside: createMemoryTrust({ project }),
    reportsMissingImports: true,
  });
  return {
    files: listMemoryFiles(files),
    waiting: scoped.map(({ file, globs }) => ({ path: file.path, globs: [...globs] })),
    notices,
  };
}

/** `wrongHooks`: problems with hooks of plugins. */
export async function examineKnowledge(
  options: EngineOptions,
  { cwd, home, env }: SettingsPlaces,
  { settings, project }: LoadedSettings,
): Promise<KnowledgeReport & { wrongHooks: HookProblem[] }> {
  const homes = { pawlHome: pawlHome(env, home), claudeHome: claudeHome(env, home) };
  const trusts = createTextTrust({ project });
  const loadOptions = {
    cwd,
    home,
    ...homes,
    ...settingSourcesOf(options),
    plugins: pluginWishes(options, settings),
    trusts,
  };
  const knowledge = await loadKnowledge(loadOptions);
  const styles = await listStyles({ ...loadOptions, stylePlugins: knowledge.plugins });
  const shadowed = new Set<unknown>(knowledge.shadowed);
  const { skillOverrides } = settings.knowledge;
  const skills = [...knowledge.skills, ...knowledge.shadowed.filter((each): each is Skill => "kind" in each)];
  const findings = (kind: Skill["kind"]): Finding[] =>
    skills.filter((each) => each.kind === kind).map((each) => skillFinding(each, shadowed.has(each), skillOverrides));
  const agents = [...knowledge.agents, ...knowledge.shadowed.filter((each) => !("kind" in each))];
  return {
    skills: findings("skill"),
    commands: findings("command"),
    agents: agents.map((agent) => ({
      name: agent.name,
      source: agent.source,
      path: agent.path ?? "",
      inForce: !shadowed.has(agent),
      remarks: agentRemarks(agent, shadowed.has(agent), knowledge),
    })),
    plugins: knowledge.plugins.map(({ name, root, version, unused, hooks, servers }) => ({
      name,
      path: root,
      ...(version === undefined ? {} : { version }),
      brings: { hooks: hookCount(hooks), servers: serverCount(servers) },
      unused,
    })),
    styles: {
      ...styleInForce(settings.outputStyle ?? "default", styles.styles),
      found: styles.styles.map(({ name, source, path = "" }) => ({ name, source, path })),
    },
    problems: [...knowledge.problems, ...styles.problems],
    wrongHooks: enabledExtraHooks(
      allPluginHooks(knowledge.plugins, { settings, pawlHome: homes.pawlHome }),
      settings,
    ).flatMap(({ value, origin, source, place }) => readHooks(value, origin, source, place).problems),
  };
}

const neverReasons = {
  plugin: "which plugin agents may not have",
  folder: "since a folder may not set bypassPermissions",
} as const;

/** What an agent has besides tools, and what of that is missing. */
function agentRemarks(agent: LoadedAgent | Skill, isShadowed: boolean, { skills }: Knowledge): string[] {
  if ("kind" in agent) return [];
  const {
    unfit,
    withheld = [],
    forbiddenFields = [],
    isolation,
    memory,
    hooks,
    mcpServers,
    skills: wanted = [],
  } = agent;
  const has = [
    ...(isolation === undefined ? [] : ["a work tree of its own"]),
    ...(memory === undefined ? [] : ["notes of its own"]),
    ...(hooks === undefined ? [] : ["hooks of its own"]),
    ...(mcpServers === undefined ? [] : [`the servers ${requestedServers(agent).join(", ")}`]),
  ];
  const isThere = (name: string): boolean => skills.some((skill) => skill.name === name);
  const missing = wanted.filter((name) => !candidateNames(agent, name).some(isThere));
  return [
    ...(unfit === undefined ? [] : [`is not started: ${unfit}`]),
    ...remarksOf(withheld, isShadowed),
    ...(forbiddenFields.length === 0
      ? []
      : [`${forbiddenFields.join(", ")} left out, ${neverReasons[agent.source === "plugin" ? "plugin" : "folder"]}`]),
    ...(has.length === 0 ? [] : [`has ${has.join(", ")}`]),
    ...(missing.length === 0 ? [] : [`there is no skill ${missing.join(", ")}`]),
  ];
}

function hookCount(parts: readonly PluginPart[]): number {
  return parts.reduce((sum, { value, source }) => sum + readHooks(value, "plugin", source).hooks.length, 0);
}

function serverCount(parts: readonly PluginPart[]): number {
  return parts.reduce((sum, { value }) => sum + countServers(value), 0);
}

function skillFinding(skill: Skill, isShadowed: boolean, overrides: Parameters<typeof isOffered>[1]): Finding {
  const { name, source, path, withheld, isModelInvocable, isUserInvocable } = skill;
  const remarks = remarksOf(withheld, isShadowed);
  const isOff = overrides[name] === "off";
  const command = findCommand(name);
  // A built-in command that begins a prompt gives way to a skill.
  const isBuiltIn = command !== undefined && command.isPrompt === undefined;
  if (isOff) remarks.push("settings turn it off");
  else if (!isModelInvocable) remarks.push("only a person may start it");
  else if (!isOffered(skill, overrides)) remarks.push("it is not offered to the model");
  if (!isUserInvocable) remarks.push("only the model may start it");
  if (isBuiltIn) remarks.push(`/${name} is a built-in command, so only the model may start it`);
  return { name, source, path, inForce: !isShadowed && !isOff, remarks };
}

function remarksOf(withheld: readonly string[], isShadowed: boolean): string[] {
  const remarks = isShadowed ? ["another one of this name takes precedence"] : [];
  if (withheld.length > 0) remarks.push(`${withheld.join(", ")} left out, since the folder is not trusted with it`);
  return remarks;
}
