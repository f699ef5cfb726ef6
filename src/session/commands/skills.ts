import type { Command } from "./command.ts";

export const skills: Command = {
  name: "skills",
  argumentHint: "",
  description: "list the skills and commands from files: what each is for, its source, who may start it",
  mayRunDuringTurn: true,
  takesNoArgument: true,
  async run(_argument, desk) {
    const { answerSkills } = await import("./answers/skills.ts");
    return answerSkills(desk);
  },
};
