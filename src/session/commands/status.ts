import type { Command } from "./command.ts";

export const status: Command = {
  name: "status",
  argumentHint: "",
  description: "show the session, its folder and transcript, the model, the mode and the settings files in force",
  mayRunDuringTurn: true,
  takesNoArgument: true,
  async run(_argument, desk) {
    const { answerStatus } = await import("./answers/status.ts");
    return await answerStatus(desk);
  },
};
