/** Answers /skills: the skills and commands from files. */
import { withoutUndefined } from "../../../lib/without-undefined.ts";
import type { Skill } from "../../../knowledge/skill.ts";
import type { CommandAnswer, CommandDesk } from "../command.ts";
import { listText, originText } from "./listing.ts";

export function answerSkills(desk: CommandDesk): CommandAnswer {
  const skillDesk = desk.session().joined.skills;
  const all = skillDesk.allSkills().toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const offered = new Set(skillDesk.offered());
  // When a person types the name, the built-in command runs.
  const builtIn = new Set(desk.commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  const byPerson = ({ name, isUserInvocable }: Skill): boolean => isUserInvocable && !builtIn.has(name);
  const accessOf = (skill: Skill): SkillAccess => ({
    isUserInvocable: byPerson(skill),
    isOfferedToModel: offered.has(skill),
  });
  if (all.length === 0) return { text: "There are no skills and no commands from files.", data: { skills: [] } };
  const head = all.length === 1 ? "1 skill or command:" : `${all.length} skills and commands:`;
  const rows = all.map((skill) => ({
    name: skill.name,
    lines: [skill.description, skillDetails(skill, accessOf(skill))],
  }));
  return { text: listText(head, rows), data: { skills: all.map((skill) => skillData(skill, accessOf(skill))) } };
}

interface SkillAccess {
  isUserInvocable: boolean;
  isOfferedToModel: boolean;
}

function skillDetails({ kind, source, path, paths }: Skill, access: SkillAccess): string {
  return `${kind}, ${originText(source, path)}; ${accessText(access, paths)}`;
}

/** `paths`: a skill that waits for a file is not offered yet. */
function accessText({ isUserInvocable, isOfferedToModel }: SkillAccess, paths: Skill["paths"]): string {
  if (isOfferedToModel) return isUserInvocable ? "you and the model may start it" : "only the model may start it";
  const waits = paths === undefined ? "" : `, the model only once a file it applies to is read`;
  if (isUserInvocable) return paths === undefined ? "only you may start it" : `you may start it${waits}`;
  return paths === undefined ? "nobody may start it" : "the model may start it once a file it applies to is read";
}

function skillData({ name, description, kind, source, path, argumentHint }: Skill, access: SkillAccess) {
  return { name, description, kind, source, path, ...access, ...withoutUndefined({ argumentHint }) };
}
