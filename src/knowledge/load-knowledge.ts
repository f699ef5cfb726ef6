/** All that people wrote for the model besides memory, in the folders there are: loaded with the first folder that has any. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { KnowledgeProblem } from "../protocol/knowledge.ts";
import type { LoadedAgent } from "./agents.ts";
import { findRepository } from "./git-folder.ts";
import { knowledgeRoots, type KnowledgePlaces, type KnowledgeRoot } from "./places.ts";
import { realOf } from "./scan.ts";
import type { Skill } from "./skill.ts";

export interface KnowledgeOptions extends KnowledgePlaces {
  /** Whether what a project's file would permit or run may take effect, with this text. */
  trusts: (path: string, text: string) => boolean;
}

export interface Knowledge {
  /** Skills and commands, one a name. */
  skills: Skill[];
  agents: LoadedAgent[];
  /** Of the same name as one that counts more. */
  shadowed: (Skill | LoadedAgent)[];
  problems: KnowledgeProblem[];
}

export const noKnowledge = (): Knowledge => ({ skills: [], agents: [], shadowed: [], problems: [] });

/** Never throws. Costs a look at a few folders where there is nothing. */
export async function loadKnowledge(options: KnowledgeOptions): Promise<Knowledge> {
  const { policy, user, project } = knowledgeRoots(options);
  const roots = [...policy, ...user, ...project];
  const holds = (kind: string): boolean => roots.some(({ folder }) => existsSync(join(folder, kind)));
  const found = noKnowledge();
  const top = findRepository(options.cwd) ?? options.cwd;
  const own = {
    bounds: [top, options.pawlHome, options.claudeHome].map((each) => realOf(each) ?? each),
    trusts: options.trusts,
  };
  if (holds("skills") || holds("commands")) await addSkills(found, roots, own);
  // Of agents, by convention, a project's count over the user's.
  if (holds("agents")) await addAgents(found, [...policy, ...project, ...user], own);
  return found;
}

type Own = Pick<KnowledgeOptions, "trusts"> & { bounds: string[] };

async function addSkills(found: Knowledge, roots: readonly KnowledgeRoot[], own: Own): Promise<void> {
  const { byName, findSkills, placesIn } = await import("./skills.ts");
  const { skills, problems } = await findSkills(placesIn(roots), own);
  const { first, shadowed } = byName(skills);
  found.skills.push(...first.values());
  found.shadowed.push(...shadowed);
  found.problems.push(...problems);
}

async function addAgents(found: Knowledge, roots: readonly KnowledgeRoot[], own: Own): Promise<void> {
  const { loadAgents } = await import("./agents.ts");
  const { agents, shadowed, problems } = await loadAgents({ roots, ...own });
  found.agents.push(...agents);
  found.shadowed.push(...shadowed);
  found.problems.push(...problems);
}
