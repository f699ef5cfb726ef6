import { present } from "../../lib/present.ts";
import type { Skill } from "../../knowledge/skill.ts";
import type { Command } from "./command.ts";
import { listText, originOf } from "./listing.ts";

export const skills: Command = {
  name: "skills",
  argumentHint: "",
  description: "the skills and commands of files: what each is for, where it is from, who may begin it",
  isBeside: true,
  takesNothing: true,
  run(_argument, desk) {
    const desks = desk.session().joined.skills;
    const all = desks.all().toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const offered = new Set(desks.offered());
    // When a person types the name, the built-in command runs.
    const builtIn = new Set(desk.commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
    const byPerson = ({ name, isUserInvocable }: Skill): boolean => isUserInvocable && !builtIn.has(name);
    const whoOf = (skill: Skill): Who => ({ isUserInvocable: byPerson(skill), isOfferedToModel: offered.has(skill) });
    if (all.length === 0) return { text: "There is no skill, and no command of files.", data: { skills: [] } };
    const head = all.length === 1 ? "1 skill or command:" : `${all.length} skills and commands:`;
    const rows = all.map((skill) => ({
      name: skill.name,
      lines: [skill.description, about(skill, whoOf(skill))],
    }));
    return { text: listText(head, rows), data: { skills: all.map((skill) => dataOf(skill, whoOf(skill))) } };
  },
};

interface Who {
  isUserInvocable: boolean;
  isOfferedToModel: boolean;
}

function about({ kind, source, path, paths }: Skill, who: Who): string {
  return `${kind}, ${originOf(source, path)}; ${whoBegins(who, paths)}`;
}

/** `paths`: a skill that waits for a file is not offered yet. */
function whoBegins({ isUserInvocable, isOfferedToModel }: Who, paths: Skill["paths"]): string {
  if (isOfferedToModel) return isUserInvocable ? "you and the model may begin it" : "only the model may begin it";
  const waits = paths === undefined ? "" : `, the model not until a file is read that it is for`;
  if (isUserInvocable) return paths === undefined ? "only you may begin it" : `you may begin it${waits}`;
  return paths === undefined ? "nobody may begin it" : "the model may begin it once a file is read that it is for";
}

function dataOf({ name, description, kind, source, path, argumentHint }: Skill, who: Who) {
  return { name, description, kind, source, path, ...who, ...present({ argumentHint }) };
}
