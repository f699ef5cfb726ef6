import { oneLine } from "../../lib/sanitize.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import { ownPromptCommands } from "../knowledge/own-prompts.ts";
import type { Joined } from "../joined.ts";
import type { Command } from "./command.ts";

export const help: Command = {
  name: "help",
  argumentHint: "",
  description: "this list",
  run: (_argument, desk) => ({ text: commandList([...desk.commands, ...offeredCommands(desk.session().joined)]) }),
};

/** What is for the model: prompts of pawl's own, skills and commands of files, and the prompts of MCP servers. */
export function offeredCommands({ skills, mcp }: Pick<Joined, "skills" | "mcp">): SlashCommand[] {
  const isTaken = (name: string): boolean => skills.findForUser(name) !== undefined;
  return [...ownPromptCommands(isTaken), ...skills.slashCommands(), ...(mcp.desk?.promptCommands() ?? [])];
}

export function commandList(commands: readonly Pick<Command, "name" | "argumentHint" | "description">[]): string {
  const heads = commands.map(({ name, argumentHint }) => `/${name} ${argumentHint}`.trimEnd());
  const width = Math.max(...heads.map((head) => head.length));
  return commands.map(({ description }, at) => `${heads[at]?.padEnd(width)}  ${oneLine(description, 120)}`).join("\n");
}
