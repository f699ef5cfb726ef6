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
    if (all.length === 0) return { text: "There is no skill, and no command of files.", data: { skills: [] } };
    const head = all.length === 1 ? "1 skill or command:" : `${all.length} skills and commands:`;
    const rows = all.map((skill) => ({
      name: skill.name,
      lines: [skill.description, about(skill, offered.has(skill))],
    }));
    return { text: listText(head, rows), data: { skills: all.map((skill) => dataOf(skill, offered.has(skill))) } };
  },
};

function about({ kind, source, path, isUserInvocable, paths }: Skill, isOffered: boolean): string {
  return `${kind}, ${originOf(source, path)}; ${whoBegins(isUserInvocable, isOffered, paths)}`;
}

/** `paths`: one that waits for a file is not on offer yet. */
function whoBegins(isUserInvocable: boolean, isOffered: boolean, paths: Skill["paths"]): string {
  if (isOffered) return isUserInvocable ? "you and the model may begin it" : "only the model may begin it";
  const waits = paths === undefined ? "" : `, the model not until a file is read that it is for`;
  if (isUserInvocable) return paths === undefined ? "only you may begin it" : `you may begin it${waits}`;
  return paths === undefined ? "nobody may begin it" : "the model may begin it once a file is read that it is for";
}

function dataOf({ name, description, kind, source, path, isUserInvocable, argumentHint }: Skill, isOffered: boolean) {
  const who = { isUserInvocable, isOfferedToModel: isOffered };
  return { name, description, kind, source, path, ...who, ...present({ argumentHint }) };
}
