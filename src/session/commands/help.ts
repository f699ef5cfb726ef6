import { oneLine } from "../../lib/sanitize.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import { builtInPromptCommands } from "../knowledge/built-in-prompts.ts";
import type { Joined } from "../joined.ts";
import type { Command } from "./command.ts";

export const help: Command = {
  name: "help",
  argumentHint: "",
  description: "this list",
  run: (_argument, desk) => ({ text: commandList(withPromptCommands(desk.commands, desk.session().joined)) }),
};

/**
 * The built-in commands, followed by those that are prompts: pawl's own, skills and command files, and prompts of MCP
 * servers. A prompt whose name a built-in command has cannot be typed, so it is left out.
 */
export function withPromptCommands(
  builtIn: readonly Command[],
  { skills, mcp }: Pick<Joined, "skills" | "mcp">,
): (Command | SlashCommand)[] {
  const isSkillName = (name: string): boolean => skills.findForUser(name) !== undefined;
  const offered = [
    ...builtInPromptCommands(isSkillName),
    ...skills.slashCommands(),
    ...(mcp.desk?.promptCommands() ?? []),
  ];
  const typeable = builtIn.filter((each) => each.isPrompt === undefined || !isSkillName(each.name));
  const names = new Set(typeable.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  return [...typeable, ...offered.filter(({ name }) => !names.has(name))];
}

export function commandList(commands: readonly Pick<Command, "name" | "argumentHint" | "description">[]): string {
  const heads = commands.map(({ name, argumentHint }) => `/${name} ${argumentHint}`.trimEnd());
  const width = Math.max(...heads.map((head) => head.length));
  return commands.map(({ description }, at) => `${heads[at]?.padEnd(width)}  ${oneLine(description, 120)}`).join("\n");
}
