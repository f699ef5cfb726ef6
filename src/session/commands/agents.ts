import type { Command } from "./command.ts";

export const agents: Command = {
  name: "agents",
  argumentHint: "",
  description: "list the agent types: what each is for, its source, model and tools",
  mayRunDuringTurn: true,
  takesNoArgument: true,
  async run(_argument, desk) {
    const { answerAgents } = await import("./answers/agents.ts");
    return answerAgents(desk);
  },
};
