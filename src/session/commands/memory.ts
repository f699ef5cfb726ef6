import type { Command } from "./command.ts";

export const memory: Command = {
  name: "memory",
  argumentHint: "",
  description: "list the loaded memory files in order, with their sources and sizes",
  mayRunDuringTurn: true,
  takesNoArgument: true,
  async run(_argument, desk) {
    const { answerMemory } = await import("./answers/memory.ts");
    return answerMemory(desk);
  },
};
