/** Rescans the folders of skills and commands, because the host says that something changed there. */
import type { Knowledge } from "../../knowledge/load-knowledge.ts";
import type { Skill } from "../../knowledge/skill.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import { isBareSession } from "../options/variables.ts";
import { applySkillChoice, type KnowledgeRooms } from "./knowledge-parts.ts";
import { knowledgeOptions } from "./knowledge-options.ts";

const mostNamed = 50;

interface ReloadRooms extends Pick<KnowledgeRooms, "options" | "around" | "skills" | "models" | "view"> {
  /** Changed in place. */
  knowledge: Knowledge;
}

export async function reloadSkills({
  options,
  around,
  knowledge,
  skills,
  models,
  view,
}: ReloadRooms): Promise<SlashCommand[]> {
  if (isBareSession(around.env)) return skills.slashCommands();
  const before = new Map(skills.offered().map((skill) => [skill.name, skill]));
  const found = applySkillChoice(await around.machine.knowledge(knowledgeOptions(options, around)), options);
  skills.replace(knowledge.skills, found.skills);
  Object.assign(knowledge, { skills: found.skills, shadowed: found.shadowed });
  const now = skills.offered();
  const fresh = now.filter(({ name, digest }) => before.get(name)?.digest !== digest);
  for (const { name } of now) before.delete(name);
  const { contextWindow } = models.catalog.info(models.id);
  const lines = (changedSkills: readonly Skill[]): string[] => {
    const sorted = changedSkills.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const listed = skills.listing(contextWindow, sorted);
    if (view.names().includes("Skill")) return listed;
    // Without the Skill tool, their texts are read like other files.
    return sorted.map(({ name, path }, at) => `${listed[at] ?? `- ${name}`} (read ${path})`);
  };
  const removedNames = [...before.keys()].slice(0, mostNamed);
  if (fresh.length > 0) skills.announce(["Skills that are new or have changed:", ...lines(fresh)].join("\n"));
  if (removedNames.length > 0) skills.announce(`Skills that no longer exist: ${removedNames.join(", ")}.`);
  return skills.slashCommands();
}
