import type { Command } from "./command.ts";

export const rewind: Command = {
  name: "rewind",
  argumentHint: "[message [confirm]]",
  description: "restore files to their state before one of your messages; without confirm, only say what would change",
  async run(argument, desk) {
    const { answerRewind } = await import("./answers/rewind.ts");
    return await answerRewind(argument, desk);
  },
};
