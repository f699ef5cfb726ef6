import type { Command } from "./command.ts";

export const permissions: Command = {
  name: "permissions",
  aliases: ["allowed-tools"],
  argumentHint: "",
  description: "show the permission mode, the rules with their sources, and the folders",
  mayRunDuringTurn: true,
  takesNoArgument: true,
  async run(_argument, desk) {
    const { answerPermissions } = await import("./answers/permissions.ts");
    return await answerPermissions(desk);
  },
};
