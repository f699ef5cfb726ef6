/** Loads what people wrote for the model, except memory. The readers are only imported if a folder has something for them. */
import { join } from "node:path";
import { isListed } from "../lib/disk-look.ts";
import type { KnowledgeProblem } from "../protocol/knowledge.ts";
import type { LoadedAgent } from "./agents.ts";
import {
  addedRoots,
  knowledgeRoots,
  sharedFolder,
  type KnowledgePlaces,
  type KnowledgeRoot,
  type KnowledgeRoots,
} from "./places.ts";
import { realOf } from "./scan.ts";
import { findPlugins, type PluginWishes } from "./enabled-plugins.ts";
import { pluginData } from "./plugin-data.ts";
import type { Plugin } from "./plugins.ts";
import type { Skill } from "./skill.ts";
import type { SkillPlace, SkillRoots } from "./skills.ts";

export interface KnowledgeOptions extends KnowledgePlaces {
  /** Whether what a project's file would permit or run may take effect, given this text. */
  trusts: (path: string, text: string) => boolean;
  /** Absent: no plugins. */
  plugins?: PluginWishes;
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
  const skills = [...known.skills, ...addedRoots(options, known)];
  const roots = [...policy, ...user, ...project];
  const holds = (kind: string, among = roots): boolean => among.some(({ folder }) => isListed(join(folder, kind)));
  const found = noKnowledge();
  addPlugins(found, options);
  const hasPlugins = found.plugins.length > 0;
  const hasSkills = hasPlugins || holds("skills", skills) || holds("commands");
  const hasAgents = hasPlugins || holds("agents");
  if (!hasSkills && !hasAgents) return found;
  const { home, added: beside = [] } = options;
  const shared = home === undefined ? [] : [join(home, sharedFolder)];
  const folders = [
    top,
    ...beside,
    options.pawlHome,
    options.claudeHome,
    ...shared,
    ...found.plugins.map(({ root }) => root),
  ];
  const { trusts, pawlHome } = options;
  const own = { bounds: folders.map((each) => realOf(each) ?? each), trusts, pawlHome };
  if (hasSkills) await addSkills(found, { skills, commands: roots }, own);
  // By convention, a project's agents take precedence over the user's.
  if (hasAgents) await addAgents(found, [...policy, ...project, ...user], own);
  return found;
}

function addPlugins(found: Knowledge, { plugins: wishes, cwd, home, claudeHome }: KnowledgeOptions): void {
  if (wishes === undefined || home === undefined) return;
  if (wishes.dirs.length === 0 && !Object.values(wishes.enabled).includes(true)) return;
  const { plugins, problems } = findPlugins(wishes, { cwd, home, claudeHome });
  found.plugins.push(...plugins);
  found.problems.push(...problems);
}

type Own = Pick<KnowledgeOptions, "trusts" | "pawlHome"> & { bounds: string[] };

async function addSkills(found: Knowledge, roots: SkillRoots, own: Own): Promise<void> {
  const { byName, findSkills, placesIn } = await import("./skills.ts");
  const brought = found.plugins.flatMap((plugin) => skillPlaces(plugin, own.pawlHome));
  const { skills, problems } = await findSkills([...placesIn(roots), ...brought], own);
  const { first, shadowed } = byName(skills);
  found.skills.push(...first.values());
  found.shadowed.push(...shadowed);
  found.problems.push(...problems);
}

function skillPlaces({ name: prefix, id, root, skills, commands }: Plugin, pawlHome: string): SkillPlace[] {
  const plugin = { root, data: pluginData(id, pawlHome) };
  const place = (folder: string, kind: SkillPlace["kind"]): SkillPlace => ({
    folder,
    kind,
    source: "plugin",
    prefix,
    plugin,
  });
  return [...skills.map((folder) => place(folder, "skill")), ...commands.map((folder) => place(folder, "command"))];
}

async function addAgents(found: Knowledge, roots: readonly KnowledgeRoot[], own: Own): Promise<void> {
  const { loadAgents } = await import("./agents.ts");
  const places = [
    ...roots.map(({ folder, source }) => ({ folder: join(folder, "agents"), source })),
    ...found.plugins.flatMap(({ agents: folders, name: prefix, id, root: top }) =>
      folders.map((folder) => {
        const plugin = { root: top, data: pluginData(id, own.pawlHome) };
        return { folder, source: "plugin" as const, prefix, plugin };
      }),
    ),
  ];
  const { agents, shadowed, problems } = await loadAgents({ places, ...own });
  found.agents.push(...agents);
  found.shadowed.push(...shadowed);
  found.problems.push(...problems);
}
