/** Loads what people wrote for the model, except memory. The readers are only imported if a folder has something for them. */
import { join } from "node:path";
import { isKnownToExist } from "../lib/path-status.ts";
import type { KnowledgeProblem } from "../protocol/knowledge.ts";
import type { LoadedAgent } from "./agents.ts";
import {
  addedSkillRoots,
  knowledgeRoots,
  sharedAgentsFolder,
  type KnowledgePlaces,
  type KnowledgeRoot,
  type KnowledgeRoots,
} from "./knowledge-places.ts";
import { realOf } from "./scan.ts";
import { findPlugins, type PluginSelection } from "./enabled-plugins.ts";
import { pluginDataFolder } from "./plugin-data.ts";
import type { Plugin } from "./plugins.ts";
import type { Skill } from "./skill.ts";
import type { SkillPlace, SkillRoots } from "./skills.ts";

export interface KnowledgeOptions extends KnowledgePlaces {
  /** Whether what a project's file would permit or run may take effect, given this text. */
  trusts: (path: string, text: string) => boolean;
  /** Absent: no plugins. */
  plugins?: PluginSelection;
  /** Roots that were just found. Default: they are searched now. */
  roots?: KnowledgeRoots | undefined;
}

export interface Knowledge {
  /** Skills and commands, one for each name. */
  skills: Skill[];
  agents: LoadedAgent[];
  /** Definitions hidden by one of the same name with precedence. */
  shadowed: (Skill | LoadedAgent)[];
  plugins: Plugin[];
  problems: KnowledgeProblem[];
}

export const noKnowledge = (): Knowledge => ({ skills: [], agents: [], shadowed: [], plugins: [], problems: [] });

/** Loads skills, agents and plugins. Never throws. If there is nothing, it costs only a look at a few folders. */
export async function loadKnowledge(options: KnowledgeOptions): Promise<Knowledge> {
  const known = options.roots ?? knowledgeRoots(options);
  const { policy, user, project, top } = known;
  const skills = [...known.skills, ...addedSkillRoots(options, known)];
  const roots = [...policy, ...user, ...project];
  const hasFolder = (kind: string, among = roots): boolean =>
    among.some(({ folder }) => isKnownToExist(join(folder, kind)));
  const found = noKnowledge();
  addPlugins(found, options);
  const hasPlugins = found.plugins.length > 0;
  const hasSkills = hasPlugins || hasFolder("skills", skills) || hasFolder("commands");
  const hasAgents = hasPlugins || hasFolder("agents");
  if (!hasSkills && !hasAgents) return found;
  const { home, addedFolders = [] } = options;
  const shared = home === undefined ? [] : [join(home, sharedAgentsFolder)];
  const folders = [
    top,
    ...addedFolders,
    options.pawlHome,
    options.claudeHome,
    ...shared,
    ...found.plugins.map(({ root }) => root),
  ];
  const { trusts, pawlHome } = options;
  const context = { bounds: folders.map((each) => realOf(each) ?? each), trusts, pawlHome };
  if (hasSkills) await addSkills(found, { skills, commands: roots }, context);
  // By convention, a project's agents take precedence over the user's.
  if (hasAgents) await addAgents(found, [...policy, ...project, ...user], context);
  return found;
}

function addPlugins(knowledge: Knowledge, { plugins: selection, cwd, home, claudeHome }: KnowledgeOptions): void {
  if (selection === undefined || home === undefined) return;
  if (selection.dirs.length === 0 && !Object.values(selection.enabled).includes(true)) return;
  const { plugins, problems } = findPlugins(selection, { cwd, home, claudeHome });
  knowledge.plugins.push(...plugins);
  knowledge.problems.push(...problems);
}

type LoadContext = Pick<KnowledgeOptions, "trusts" | "pawlHome"> & { bounds: string[] };

async function addSkills(knowledge: Knowledge, roots: SkillRoots, context: LoadContext): Promise<void> {
  const { firstByName, findSkills, placesIn } = await import("./skills.ts");
  const fromPlugins = knowledge.plugins.flatMap((plugin) => skillPlaces(plugin, context.pawlHome));
  const { skills, problems } = await findSkills([...placesIn(roots), ...fromPlugins], context);
  const { first, shadowed } = firstByName(skills);
  knowledge.skills.push(...first.values());
  knowledge.shadowed.push(...shadowed);
  knowledge.problems.push(...problems);
}

function skillPlaces({ name: prefix, id, root, skills, commands }: Plugin, pawlHome: string): SkillPlace[] {
  const common = { source: "plugin" as const, prefix, plugin: { root, data: pluginDataFolder(id, pawlHome) } };
  return [
    ...skills.map((folder) => ({ folder, kind: "skill" as const, ...common })),
    ...commands.map((folder) => ({ folder, kind: "command" as const, ...common })),
  ];
}

async function addAgents(knowledge: Knowledge, roots: readonly KnowledgeRoot[], context: LoadContext): Promise<void> {
  const { loadAgents } = await import("./agents.ts");
  const places = [
    ...roots.map(({ folder, source }) => ({ folder: join(folder, "agents"), source })),
    ...knowledge.plugins.flatMap(({ agents: folders, name: prefix, id, root: top }) =>
      folders.map((folder) => {
        const plugin = { root: top, data: pluginDataFolder(id, context.pawlHome) };
        return { folder, source: "plugin" as const, prefix, plugin };
      }),
    ),
  ];
  const { agents, shadowed, problems } = await loadAgents({ places, ...context });
  knowledge.agents.push(...agents);
  knowledge.shadowed.push(...shadowed);
  knowledge.problems.push(...problems);
}
