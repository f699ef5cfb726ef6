import type { Command } from "./command.ts";

export const hooks: Command = {
  name: "hooks",
  argumentHint: "",
  description: "list the hooks from settings, their sources, and why any of them does not run",
  mayRunDuringTurn: true,
  takesNoArgument: true,
  async run(_argument, desk) {
    const { answerHooks } = await import("./answers/hooks.ts");
    return await answerHooks(desk);
  },
};
