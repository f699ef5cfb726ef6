import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { Skill } from "../../knowledge/skill.ts";
import type { Command } from "./command.ts";
import { listText, originText } from "./listing.ts";

export const skills: Command = {
  name: "skills",
  argumentHint: "",
  description: "list the skills and commands from files: what each is for, its source, who may start it",
  mayRunDuringTurn: true,
  takesNoArgument: true,
  run(_argument, desk) {
    const desks = desk.session().joined.skills;
    const all = desks.all().toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const offered = new Set(desks.offered());
    // When a person types the name, the built-in command runs.
    const builtIn = new Set(desk.commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
    const byPerson = ({ name, isUserInvocable }: Skill): boolean => isUserInvocable && !builtIn.has(name);
    const whoOf = (skill: Skill): SkillStarters => ({
      isUserInvocable: byPerson(skill),
      isOfferedToModel: offered.has(skill),
    });
    if (all.length === 0) return { text: "There are no skills and no commands from files.", data: { skills: [] } };
    const head = all.length === 1 ? "1 skill or command:" : `${all.length} skills and commands:`;
    const rows = all.map((skill) => ({
      name: skill.name,
      lines: [skill.description, skillDetails(skill, whoOf(skill))],
    }));
    return { text: listText(head, rows), data: { skills: all.map((skill) => skillData(skill, whoOf(skill))) } };
  },
};

interface SkillStarters {
  isUserInvocable: boolean;
  isOfferedToModel: boolean;
}

function skillDetails({ kind, source, path, paths }: Skill, who: SkillStarters): string {
  return `${kind}, ${originText(source, path)}; ${startersText(who, paths)}`;
}

/** `paths`: a skill that waits for a file is not offered yet. */
function startersText({ isUserInvocable, isOfferedToModel }: SkillStarters, paths: Skill["paths"]): string {
  if (isOfferedToModel) return isUserInvocable ? "you and the model may start it" : "only the model may start it";
  const waits = paths === undefined ? "" : `, the model only once a file it applies to is read`;
  if (isUserInvocable) return paths === undefined ? "only you may start it" : `you may start it${waits}`;
  return paths === undefined ? "nobody may start it" : "the model may start it once a file it applies to is read";
}

function skillData({ name, description, kind, source, path, argumentHint }: Skill, who: SkillStarters) {
  return { name, description, kind, source, path, ...who, ...withoutUndefined({ argumentHint }) };
}
