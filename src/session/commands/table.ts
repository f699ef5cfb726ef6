/** All built-in commands, in the order of `/help`. */
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import type { Joined } from "../joined.ts";
import { addDir } from "./add-dir.ts";
import { btw } from "./btw.ts";
import { clear } from "./clear.ts";
import type { Command } from "./command.ts";
import { compact } from "./compact.ts";
import { context } from "./context.ts";
import { cost } from "./cost.ts";
import { effort } from "./effort.ts";
import { exportCommand } from "./export.ts";
import { goal } from "./goal.ts";
import { help, withPromptCommands } from "./help.ts";
import { agents, hooks, mcp, memory, permissions, rewind, skills, status } from "./loaded-commands.ts";
import { model } from "./model.ts";
import { rename } from "./rename.ts";
import { tag } from "./tag.ts";
import { tasks } from "./tasks.ts";

export const commands: readonly Command[] = [
  help,
  btw,
  context,
  compact,
  clear,
  cost,
  model,
  effort,
  addDir,
  goal,
  rewind,
  rename,
  tag,
  exportCommand,
  tasks,
  status,
  permissions,
  hooks,
  mcp,
  memory,
  skills,
  agents,
];

export function findCommand(name: string): Command | undefined {
  return commands.find((command) => command.name === name || command.aliases?.includes(name) === true);
}

/** Every command that a prompt can begin with, after a slash. */
export function allCommands(joined: Pick<Joined, "skills" | "mcp">): SlashCommand[] {
  return withPromptCommands(commands, joined).map((each) => ("run" in each ? toSlashCommand(each) : each));
}

/** The built-in commands as clients list them. */
export function builtInSlashCommands(): SlashCommand[] {
  return commands.map(toSlashCommand);
}

function toSlashCommand({ name, description, argumentHint, aliases }: Command): SlashCommand {
  const others = aliases === undefined ? {} : { aliases: [...aliases] };
  return { name, description, argumentHint, ...others, builtin: true };
}
