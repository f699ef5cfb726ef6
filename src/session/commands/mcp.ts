import type { Command } from "./command.ts";

export const mcp: Command = {
  name: "mcp",
  argumentHint: "[reconnect|logout <server>]",
  description: "list the MCP servers, their state and what they offer; reconnect to one, or log out of it",
  mayRunDuringTurn: true,
  async run(argument, desk) {
    const { answerMcp } = await import("./answers/mcp.ts");
    return await answerMcp(argument, desk);
  },
};
